import { escapeTerminalLine } from '../../report/escape-terminal.js';
import type { Style } from '../../report/style.js';
import type { PrerequisiteReport } from '../../setup/prerequisite-report.js';

const SIGNS = { ok: ['✔', 'green'], warning: ['!', 'yellow'], missing: ['✘', 'red'] } as const;

/** `doctor` for people: what was found, and below it what to do. */
export function renderPrerequisites(reports: readonly PrerequisiteReport[], style: Style): string[] {
  const width = Math.max(...reports.map(({ name }) => name.length));
  const lines = reports.flatMap(({ name, status, found, fix }) => {
    const [sign, colour] = SIGNS[status];
    const line = `${style(colour, sign)} ${name.padEnd(width)}  ${escapeTerminalLine(found)}`;
    return fix === null
      ? [line]
      : [line, `  ${' '.repeat(width)}  ${style('cyan', escapeTerminalLine(fix))}`];
  });
  const missing = reports.filter(({ status }) => status === 'missing').length;
  const verdict = missing === 0 ? style('green', 'Ready to run.') : style('red', `${missing} missing.`);
  return [...lines, '', verdict];
}
