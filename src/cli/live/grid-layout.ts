import { largest } from '../../core/lists/extremes.js';
import { cutToWidth } from '../../report/display-width.js';
import type { Mark, RunView } from '../../runs/status/run-view.js';
import { BAR_ORDER, type Paint, paintMarks } from './glyphs.js';

type TaskRow = RunView['tasks'][number];
interface Space {
  columns: number;
  rows: number;
}

const GAP = 3;
const MIN_NAME = 12;
const MAX_NAME = 40;

/**
 * The tasks × samples grid in the space there is, from the most to the least detailed way that fits:
 * a line per task; several such columns; a mark per rollout; a bar per block of tasks.
 */
export function layOutGrid(tasks: readonly TaskRow[], space: Space, paint: Paint): string[] {
  if (tasks.length === 0 || space.rows < 1) return [];
  return (
    namedColumns(tasks, space, paint) ?? wallOfMarks(tasks, space, paint) ?? blockBars(tasks, space, paint)
  );
}

function namedColumns(tasks: readonly TaskRow[], space: Space, paint: Paint): string[] | null {
  const samples = largest(tasks.map((task) => task.marks.length));
  const longest = Math.min(MAX_NAME, largest(tasks.map((task) => task.taskId.length)));
  const columnCount = Math.ceil(tasks.length / space.rows);
  const width = Math.floor((space.columns - GAP * (columnCount - 1)) / columnCount);
  const nameWidth = Math.min(longest, width - samples - 1);
  if (nameWidth < Math.min(MIN_NAME, longest)) return null;
  const height = Math.ceil(tasks.length / columnCount);
  return Array.from({ length: height }, (_, row) =>
    Array.from({ length: columnCount }, (_, column) => tasks[column * height + row])
      .flatMap((task) => (task ? [namedRow(task, nameWidth, samples, paint)] : []))
      .join(' '.repeat(GAP)),
  );
}

function namedRow(task: TaskRow, nameWidth: number, samples: number, paint: Paint): string {
  const padding = ' '.repeat(samples - task.marks.length);
  return `${cutToWidth(task.taskId, nameWidth).padEnd(nameWidth)} ${paintMarks(task.marks, paint)}${padding}`;
}

function wallOfMarks(tasks: readonly TaskRow[], space: Space, paint: Paint): string[] | null {
  const marks = tasks.flatMap((task) => task.marks);
  if (marks.length > space.columns * space.rows) return null;
  const lines: string[] = [];
  for (let start = 0; start < marks.length; start += space.columns) {
    lines.push(paintMarks(marks.slice(start, start + space.columns), paint));
  }
  return lines;
}

function blockBars(tasks: readonly TaskRow[], space: Space, paint: Paint): string[] {
  const size = Math.ceil(tasks.length / space.rows);
  const digits = String(tasks.length).length;
  const lines: string[] = [];
  for (let start = 0; start < tasks.length; start += size) {
    const block = tasks.slice(start, start + size);
    const marks = block.flatMap((task) => task.marks);
    const number = (n: number): string => String(n).padStart(digits);
    const label = `tasks ${number(start + 1)}–${number(start + block.length)} `;
    lines.push(label + paintMarks(stackedBar(marks, Math.max(1, space.columns - label.length)), paint));
  }
  return lines;
}

/** Marks in proportion: largest remainders, and at least one cell for whatever is there, so that no failure hides. */
export function stackedBar(marks: readonly Mark[], width: number): Mark[] {
  const counts = BAR_ORDER.map((mark) => ({ mark, n: marks.filter((other) => other === mark).length }));
  const present = counts.filter(({ n }) => n > 0);
  if (marks.length <= width) return present.flatMap(({ mark, n }) => Array<Mark>(n).fill(mark));
  const shares = present.map(({ mark, n }) => {
    const exact = (n / marks.length) * width;
    return { mark, cells: Math.max(1, Math.floor(exact)), exact };
  });
  let used = shares.reduce((sum, share) => sum + share.cells, 0);
  for (; used < width; used++) {
    most(shares, (share) => share.exact - share.cells).cells += 1;
  }
  for (; used > width && shares.some((share) => share.cells > 1); used--) {
    most(shares, (share) =>
      share.cells > 1 ? share.cells - share.exact : Number.NEGATIVE_INFINITY,
    ).cells -= 1;
  }
  return shares.flatMap(({ mark, cells }) => Array<Mark>(cells).fill(mark)).slice(0, width);
}

function most<T>(items: readonly T[], value: (item: T) => number): T {
  return items.reduce((best, item) => (value(item) > value(best) ? item : best));
}
