import { decode } from './output-text.js';

const AROUND = 2;
const SHOWN_PLACES = 3;
const SHOWN_LINES = 30;
const SHOWN_CHARS = 200;

/** Numbered lines around a piece of a file, for an answer about it. */
export function surroundings(content: Buffer, at: number, length: number): string {
  const before = decode(content.subarray(0, at)).split('\n').length - 1;
  const inside = decode(content.subarray(at, at + length))
    .replace(/\n$/, '')
    .split('\n').length;
  const lines = decode(content).split('\n');
  const from = Math.max(0, before - AROUND);
  const to = Math.min(lines.length, before + inside + AROUND);
  const shown = numberLines(lines, from, Math.min(to, from + SHOWN_LINES));
  return to - from > SHOWN_LINES ? `${shown}\n…` : shown;
}

/** Places that resemble a text which was not found: its first telling line, up to spaces and case. */
export function nearMatches(content: Buffer, text: string): string {
  const wanted = text
    .split('\n')
    .map(simplify)
    .find((line) => line.length > 2);
  const lines = decode(content).split('\n');
  const places =
    wanted === undefined
      ? []
      : lines.flatMap((line, index) => (simplify(line).includes(wanted) ? [index] : []));
  if (places.length === 0) return ' No line resembles its first line: read the file again.';
  const excerpts = places
    .slice(0, SHOWN_PLACES)
    .map((index) =>
      numberLines(lines, Math.max(0, index - AROUND), Math.min(lines.length, index + AROUND + 1)),
    );
  return ` Lines that resemble its first one:\n${excerpts.join('\n--\n')}`;
}

const simplify = (line: string): string => line.replace(/\s+/g, ' ').trim().toLowerCase();

function numberLines(lines: string[], from: number, to: number): string {
  return lines
    .slice(from, to)
    .map((line, index) => `${String(from + index + 1).padStart(6)}\t${line.slice(0, SHOWN_CHARS)}`)
    .join('\n');
}
