import { describe, expect, it } from 'vitest';
import { noPaint } from '../../src/cli/live/glyphs.js';
import { layOutGrid } from '../../src/cli/live/grid-layout.js';
import { listLines } from '../../src/cli/traj/list/render.js';
import { plainStyle } from '../../src/report/style.js';

/** More than a call takes as arguments, which is where a spread list ends. */
const MANY = 130_000;
const numbers = Array.from({ length: MANY }, (_, i) => i);

describe('what is shown may be longer than a call has room for arguments', () => {
  it('a file of so many trajectories is listed', () => {
    const row = { model: null, turns: 1, tokens: null, reward: null, stop_reason: null, completed: true };
    const lines = listLines(
      numbers.map((n) => ({ ...row, session_id: `session-${n}` })),
      { columns: 80, style: plainStyle },
    );
    expect(lines).toHaveLength(MANY + 1);
  });

  it('a run of so many tasks is drawn', () => {
    const tasks = numbers.map((n) => ({ taskId: `task-${n}`, marks: ['passed' as const] }));
    expect(layOutGrid(tasks, { columns: 80, rows: 10 }, noPaint)).toHaveLength(10);
  });
});
