import { displayWidth } from '../../report/display-width.js';

const ESC = '\u001b[';
const BEGIN_SYNC = `${ESC}?2026h`;
const END_SYNC = `${ESC}?2026l`;
const CLEAR_TO_END_OF_LINE = `${ESC}K`;
const CLEAR_BELOW = `${ESC}J`;

/**
 * Redraws a block of lines in place at the end of the output. Knows nothing of time or terminals:
 * it turns "these lines now" into the text to write.
 */
export class Screen {
  /** Widths of the lines on the screen, to know where they are after the terminal has re-wrapped them. */
  private widths: number[] = [];

  /** Replaces the block. `widths` are printable columns, one per line. */
  draw(lines: readonly string[], widths: readonly number[], columns: number): string {
    const body = lines.map((line) => `${line}${CLEAR_TO_END_OF_LINE}\n`).join('');
    const text = `${BEGIN_SYNC}${this.home(columns)}${body}${CLEAR_BELOW}${END_SYNC}`;
    this.widths = [...widths];
    return text;
  }

  /** Removes the block, so that other text can be written in its place. */
  clear(columns: number): string {
    const text = `${this.home(columns)}${CLEAR_BELOW}`;
    this.widths = [];
    return text;
  }

  /** A narrower terminal has wrapped what was drawn: count its lines as they are now. */
  private home(columns: number): string {
    const height = this.widths.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
    return height === 0 ? '' : `${ESC}${height}A\r`;
  }
}

/** Printable columns of a line that holds colour codes and one-column glyphs. */
export function printableWidth(line: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with the escape character.
  return displayWidth(line.replace(/\u001b\[[0-9;]*m/g, ''));
}
