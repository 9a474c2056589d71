import { describe, expect, it } from 'vitest';
import { BudgetWatch } from '../../../src/runs/status/budget-watch.js';
import { countMarks } from '../../../src/runs/status/run-view.js';

const counts = countMarks([{ taskId: 'one', marks: ['agent'] }]);
const paused = { status: 'paused', turns: 5, done: 2, counts } as const;

describe('a run that its budget has paused', () => {
  it('is left when nothing has moved for half a minute', () => {
    const watch = new BudgetWatch();
    expect(watch.stalls(paused, 'token_budget', 0)).toBe(false);
    expect(watch.stalls({ ...paused, turns: 6 }, 'token_budget', 20_000)).toBe(false);
    expect(watch.stalls({ ...paused, turns: 6 }, 'token_budget', 49_000)).toBe(false);
    expect(watch.stalls({ ...paused, turns: 6 }, 'token_budget', 50_000)).toBe(true);
  });

  it('is left sooner when nothing is in flight', () => {
    const watch = new BudgetWatch();
    const drained = { ...paused, counts: countMarks([{ taskId: 'one', marks: ['starting'] }]) };
    expect(watch.stalls(drained, 'cost_budget', 0)).toBe(false);
    expect(watch.stalls(drained, 'cost_budget', 5_000)).toBe(true);
  });

  it('is not left while it runs, or when a person has paused it', () => {
    const watch = new BudgetWatch();
    watch.stalls({ ...paused, status: 'running' }, null, 0);
    expect(watch.stalls({ ...paused, status: 'running' }, null, 90_000)).toBe(false);
    watch.stalls(paused, 'person', 100_000);
    expect(watch.stalls(paused, 'person', 190_000)).toBe(false);
  });
});
