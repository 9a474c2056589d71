import { script } from '@bomb.sh/tab';
import { badInput } from '../../core/errors.js';
import { closest } from '../../core/text/closest.js';

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;

/** The completion script of a shell. It asks `longrun complete -- <words>` for suggestions. */
export function completionScript(shell: string): string {
  if (!(SHELLS as readonly string[]).includes(shell)) {
    const meant = closest(shell, SHELLS);
    throw badInput(
      `There is no completion for "${shell}", only for ${SHELLS.join(', ')}.`,
      meant ? `Did you mean ${meant}?` : 'Name the shell you use.',
    );
  }
  return captured(() => script(shell, 'longrun', 'longrun'));
}

/** The library prints where we want to have the text. */
export function captured(print: () => void): string {
  const lines: string[] = [];
  const { log } = console;
  console.log = (text: string) => lines.push(`${text}\n`);
  try {
    print();
  } finally {
    console.log = log;
  }
  return lines.join('');
}
