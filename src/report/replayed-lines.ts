import type { Replayed } from '../store/records/replay.schema.js';
import { escapeTerminalLine } from './escape-terminal.js';

const DIFFERENCE_CHARS = 200;

/** How the source's commands went this time, in words. */
export function replayedLines({ by, commands, differences, firstDifference }: Replayed): string[] {
  if (by === 'snapshot') return ['started from a snapshot; no command was executed again'];
  if (by === null || commands === 0) return [];
  const executed = commands === 1 ? '1 command was' : `${commands} commands were`;
  if (firstDifference === null) return [`${executed} executed again, with the recorded outputs`];
  const { turn, tool, recorded, found } = firstDifference;
  const [was, is] = firstLines(recorded, found);
  return [
    `${executed} executed again, ${differences} with another output than recorded; the first: turn ${turn}, ${short(tool)}`,
    `  recorded   ${short(was)}`,
    `  this time  ${short(is)}`,
  ];
}

/** The first line that differs; the same output with another exit status differs in none. */
function firstLines(recorded: string, found: string): [string, string] {
  const [was, is] = [recorded.split('\n'), found.split('\n')];
  const at = was.findIndex((line, i) => line !== is[i]);
  const i = at >= 0 ? at : is.length > was.length ? was.length : -1;
  return i < 0
    ? [recorded, `${found} (with another exit status)`]
    : [was[i] ?? '(nothing)', is[i] ?? '(nothing)'];
}

const short = (text: string): string => escapeTerminalLine(text.slice(0, DIFFERENCE_CHARS));
