import { cutToWidth, displayWidth } from './display-width.js';
import { escapeTerminalLine } from './escape-terminal.js';
import type { Style, StyleName } from './style.js';

export interface Column {
  title: string;
  align?: 'left' | 'right';
  /** May be cut to make the table fit. */
  flexible?: boolean;
}

/** A cell is plain text, escaped here; `paint` colours it after it was measured. */
export type Cell = string | { text: string; paint: (text: string) => string };

const GAP = '   ';
const MIN_FLEXIBLE = 8;

/** Lines of a table: a dim heading and a line per row, columns as wide as their content, within `width` columns. */
export function renderTable(
  columns: readonly Column[],
  rows: readonly Cell[][],
  width: number,
  style: Style,
): string[] {
  const widths = columnWidths(columns, rows, width);
  const heading = columns.map((column) => dimmed(column.title, style));
  return [heading, ...rows].map((row) =>
    columns
      .map((column, i) => renderCell(row[i] ?? '', column, widths[i] as number))
      .join(GAP)
      .trimEnd(),
  );
}

export function painted(style: Style, name: StyleName, text: string): Cell {
  return { text, paint: (cut) => style(name, cut) };
}

const dimmed = (text: string, style: Style): Cell => painted(style, 'dim', text);
const textOf = (cell: Cell): string => escapeTerminalLine(typeof cell === 'string' ? cell : cell.text);

function columnWidths(columns: readonly Column[], rows: readonly Cell[][], width: number): number[] {
  const widths = columns.map((column, i) =>
    rows.reduce(
      (most, row) => Math.max(most, displayWidth(textOf(row[i] ?? ''))),
      displayWidth(column.title),
    ),
  );
  const over = widths.reduce((sum, w) => sum + w, GAP.length * (columns.length - 1)) - width;
  const flexible = columns.findIndex((column) => column.flexible);
  if (over > 0 && flexible >= 0)
    widths[flexible] = Math.max(MIN_FLEXIBLE, (widths[flexible] as number) - over);
  return widths;
}

function renderCell(cell: Cell, column: Column, width: number): string {
  const text = cutToWidth(textOf(cell), width);
  const space = ' '.repeat(width - displayWidth(text));
  const shown = typeof cell === 'string' || text === '' ? text : cell.paint(text);
  return column.align === 'right' ? space + shown : shown + space;
}
