import { describe, expect, it } from 'vitest';
import { ansiPaint } from '../../../src/cli/live/glyphs.js';
import { stackedBar } from '../../../src/cli/live/grid-layout.js';
import { renderGrid } from '../../../src/cli/live/render-grid.js';
import { printableWidth } from '../../../src/cli/live/screen.js';
import { countDone, countMarks, type Mark, type RunView } from '../../../src/runs/status/run-view.js';

const CYCLE: Mark[] = [
  'passed',
  'passed',
  'failed',
  'partly',
  'passed',
  'infrastructure',
  'agent',
  'verifying',
];

/** A run in the middle: results first, then what is in flight, then what waits. */
function runOf(taskCount: number, samples: number, done: number): RunView {
  const tasks = Array.from({ length: taskCount }, (_, t) => ({
    taskId: `task-number-${String(t + 1).padStart(4, '0')}`,
    marks: Array.from({ length: samples }, (_, s): Mark => {
      const index = t * samples + s;
      if (index < done) return CYCLE[index % 6] as Mark;
      return index < done + 4 ? (CYCLE[6 + (index % 2)] as Mark) : 'waiting';
    }),
  }));
  const counts = countMarks(tasks);
  return {
    runId: 'tblite-x7k2',
    title: 'tblite · scripted/demo',
    status: 'running',
    elapsedMs: 83_000,
    tasks,
    counts,
    total: taskCount * samples,
    done: countDone(counts),
    turns: 400,
    turnsPerSecond: 3.21,
    tokens: 48_123,
    costUsd: 0.12,
    msLeft: 95_000,
    trouble: 'task-number-0002/1: the endpoint answered 503',
  };
}

describe('the live grid', () => {
  const small = runOf(12, 3, 17);
  const large = runOf(500, 4, 1_200);
  const sizes = [
    { columns: 40, rows: 10 },
    { columns: 80, rows: 24 },
    { columns: 200, rows: 50 },
  ];

  for (const size of sizes) {
    it(`shows 12 tasks × 3 samples on ${size.columns}×${size.rows}`, () => {
      expect(renderGrid(small, size).join('\n')).toMatchSnapshot();
    });
    it(`shows 2,000 rollouts on ${size.columns}×${size.rows}`, () => {
      expect(renderGrid(large, size).join('\n')).toMatchSnapshot();
    });
  }

  it('never outgrows the terminal, whatever the size of terminal and run', () => {
    for (const view of [small, large, runOf(1, 1, 0), runOf(2_000, 1, 2_000), runOf(3, 700, 900)]) {
      for (const columns of [20, 33, 80, 131, 300]) {
        for (const rows of [3, 5, 8, 24, 70]) {
          const lines = renderGrid(
            view,
            { columns, rows },
            ansiPaint,
            'a note that is rather long for a small terminal',
          );
          expect(lines.length).toBeLessThanOrEqual(rows);
          for (const line of lines) expect(printableWidth(line)).toBeLessThanOrEqual(columns);
        }
      }
    }
  });

  it('shows a single failure among thousands of rollouts', () => {
    const view = runOf(2_000, 1, 0);
    (view.tasks[1_234] as RunView['tasks'][number]).marks[0] = 'failed';
    view.counts = countMarks(view.tasks);
    expect(renderGrid(view, { columns: 80, rows: 24 }).join('\n')).toContain('✘');
  });
});

describe('a bar that stands for many rollouts', () => {
  it('fills its width in proportion', () => {
    const marks = [...Array<Mark>(75).fill('passed'), ...Array<Mark>(25).fill('waiting')];
    expect(stackedBar(marks, 20)).toEqual([...Array(15).fill('passed'), ...Array(5).fill('waiting')]);
  });

  it('is no longer than what it stands for', () => {
    expect(stackedBar(['waiting', 'passed'], 10)).toEqual(['passed', 'waiting']);
  });
});
