import { cutToWidth, displayWidth } from '../../report/display-width.js';
import { count, dollars } from '../../report/quantities.js';
import { MARKS, type Mark, type RunView } from '../../runs/status/run-view.js';
import { GLYPHS, NAMES, noPaint, type Paint } from './glyphs.js';
import { layOutGrid } from './grid-layout.js';
import { clockTime, timeLeft } from './times.js';

export interface GridSize {
  columns: number;
  rows: number;
}

/** Below these a heading, and names in the legend, would leave no room for the grid. */
const HEADING_ROWS = 8;
const LEGEND_ROWS = 14;

/**
 * The live view as lines that fit `size`: heading, grid, counts by phase, rates, newest trouble.
 * Pure; `note` is one more line for the person at the terminal. Texts from outside must be escaped already.
 */
export function renderGrid(
  view: RunView,
  size: GridSize,
  paint: Paint = noPaint,
  note: string | null = null,
): string[] {
  const roomy = size.rows >= HEADING_ROWS;
  const head = roomy ? [heading(view, size.columns, paint), ''] : [];
  const notes = [view.trouble === null ? null : `${GLYPHS.infrastructure} ${view.trouble}`, note];
  const serving = roomy ? (view.serving ?? []) : [];
  const foot = [
    ...(roomy ? [''] : []),
    ...serving.map((line) => cutToWidth(line, size.columns)),
    ...countLines(view, size.columns, paint, size.rows >= LEGEND_ROWS),
    cutToWidth(rates(view), size.columns),
    ...notes.flatMap((line) => (line === null ? [] : [paint(cutToWidth(line, size.columns), 'dim')])),
  ];
  const rows = size.rows - head.length - foot.length;
  return [...head, ...layOutGrid(view.tasks, { columns: size.columns, rows }, paint), ...foot].slice(
    0,
    size.rows,
  );
}

function heading(view: RunView, columns: number, paint: Paint): string {
  const time = clockTime(view.elapsedMs);
  const status = view.status === 'running' ? '' : ` (${statusText(view)})`;
  const left = cutToWidth(`${view.title} · ${view.runId}${status}`, columns - time.length - 1);
  return paint(left, 'bold') + ' '.repeat(Math.max(1, columns - displayWidth(left) - time.length)) + time;
}

/** The state of a run and, where it is paused by a budget, why. */
export function statusText({ status, pauseNote }: Pick<RunView, 'status' | 'pauseNote'>): string {
  return pauseNote ? `${status}: ${pauseNote}` : status;
}

/** Every mark that occurs, with its count; wraps rather than cutting one off. */
function countLines(view: RunView, columns: number, paint: Paint, names: boolean): string[] {
  const parts = MARKS.filter((mark) => view.counts[mark] > 0).map((mark) => ({
    text: names
      ? `${GLYPHS[mark]} ${view.counts[mark]} ${NAMES[mark]}`
      : `${GLYPHS[mark]}${view.counts[mark]}`,
    mark,
  }));
  const lines: { text: string; mark: Mark }[][] = [[]];
  let used = 0;
  for (const part of parts) {
    if (used > 0 && used + part.text.length > columns) {
      lines.push([]);
      used = 0;
    }
    lines.at(-1)?.push(part);
    used += part.text.length + 2;
  }
  return lines.map((line) => line.map(({ text, mark }) => paint(text, mark)).join('  '));
}

function rates(view: RunView): string {
  const parts = [
    `${view.done}/${view.total} done`,
    view.turnsPerSecond === null ? null : `${view.turnsPerSecond.toFixed(1)} turns/s`,
    `${count(view.tokens)} tokens`,
    view.costUsd === null ? null : dollars(view.costUsd),
    view.msLeft === null ? null : timeLeft(view.msLeft),
  ];
  return parts.filter((part) => part !== null).join(' · ');
}
