import { groupedBy } from '../core/lists/grouped-by.js';
import { mean } from '../core/statistics/mean.js';
import type { RunDocument } from '../records/summary.js';
import type { RolloutResult } from '../store/records/records.schema.js';
import { reward } from './quantities.js';
import { ROLLOUT_MARKS, rolloutMark } from './rollout-mark.js';
import type { Style } from './style.js';
import { type Cell, type Column, renderTable } from './table.js';

/** A screenful; of a larger benchmark the tasks that were solved least are shown. */
const TASKS_SHOWN = 30;
const MARKS_SHOWN = 24;

interface TaskRow {
  taskId: string;
  results: RolloutResult[];
  scored: number;
  passed: number;
  meanReward: number | null;
}

/** Tasks × samples: a mark per rollout, passes, mean reward. */
export function taskLines(document: RunDocument, style: Style, columns: number): string[] {
  const { passThreshold } = document.run.config;
  const tasks = groupByTask(document.rollouts, passThreshold);
  if (tasks.length === 0) return [];
  const shown = tasks.length <= TASKS_SHOWN ? tasks : leastSolved(tasks).slice(0, TASKS_SHOWN);
  const layout: Column[] = [
    { title: 'task', flexible: true },
    { title: 'samples' },
    { title: 'passed', align: 'right' },
    { title: 'mean reward', align: 'right' },
  ];
  const rows = shown.map((task) => [
    task.taskId,
    marksCell(task.results, passThreshold, style),
    `${task.passed} of ${task.scored}`,
    reward(task.meanReward),
  ]);
  const lines = renderTable(layout, rows, columns, style);
  if (shown.length < tasks.length) {
    lines.push(
      style('dim', `the ${shown.length} least solved of ${tasks.length} tasks; the others are in --json`),
    );
  }
  return [...lines, legend(document.rollouts, passThreshold, style)];
}

function groupByTask(results: readonly RolloutResult[], passThreshold: number): TaskRow[] {
  const byTask = groupedBy(results, ({ taskId }) => taskId);
  return [...byTask].map(([taskId, group]) => {
    const rewards = group.map((result) => result.reward).filter((found) => found !== null);
    return {
      taskId,
      results: group,
      scored: rewards.length,
      passed: rewards.filter((found) => found >= passThreshold).length,
      meanReward: mean(rewards),
    };
  });
}

function leastSolved(tasks: TaskRow[]): TaskRow[] {
  const share = (task: TaskRow): number => (task.scored === 0 ? -1 : task.passed / task.scored);
  return tasks.toSorted((a, b) => share(a) - share(b) || (a.meanReward ?? -1) - (b.meanReward ?? -1));
}

function marksCell(results: readonly RolloutResult[], passThreshold: number, style: Style): Cell {
  const marks = results.map((result) => rolloutMark(result, passThreshold));
  const cut = marks.length > MARKS_SHOWN;
  const shown = cut ? marks.slice(0, MARKS_SHOWN - 1) : marks;
  const end = cut ? '…' : '';
  // Each sign has its own colour, so the cell paints itself from the marks.
  return {
    text: shown.map((mark) => mark.sign).join('') + end,
    paint: () => shown.map((mark) => style(mark.style, mark.sign)).join('') + end,
  };
}

function legend(results: readonly RolloutResult[], passThreshold: number, style: Style): string {
  const used = new Set(results.map((result) => rolloutMark(result, passThreshold)));
  return Object.values(ROLLOUT_MARKS)
    .filter((mark) => used.has(mark))
    .map((mark) => `${style(mark.style, mark.sign)} ${style('dim', mark.meaning)}`)
    .join('   ');
}
