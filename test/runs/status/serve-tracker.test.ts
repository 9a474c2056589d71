import { expect, it } from 'vitest';
import { openShift } from '../../../src/rollout/books/serve-book.js';
import { RunTracker } from '../../../src/runs/status/run-tracker.js';
import { openStore } from '../../../src/store/index.js';
import { keys } from '../../../src/store/keys.js';
import { writeRecord } from '../../../src/store/records/records.js';
import { rolloutResultSchema } from '../../../src/store/records/records.schema.js';
import { readPlan, readRun } from '../../../src/store/runs.js';
import { rolloutResult } from '../../launch/support/records.js';
import { inlineTask } from '../../support/inline-task.js';
import { planRun } from '../../support/plan-run.js';
import { serveConfig } from '../../support/serve-config.js';
import { temporaryStateDir } from '../../support/state.js';

it('a run that serves is followed shift by shift, and of a long one the newest rollouts are shown', async () => {
  const store = await openStore(await temporaryStateDir());
  const serve = serveConfig({ jsonl: '/rows', hostId: 'here', shiftRollouts: 60 });
  await planRun(store, 'r', [await inlineTask({ taskId: 'a', test: 'true' })], { groupSize: 2, serve });
  const [run, plan] = await Promise.all([readRun(store, 'r'), readPlan(store, 'r')]);
  const now = () => 10_000;
  const open = (shift: number) => openShift({ store, now }, run, plan, shift);
  const tracker = new RunTracker(store, run, plan, now);
  expect(tracker.view('starting')).toMatchObject({ total: 0, done: 0 });

  await open(0);
  expect(await tracker.poll()).toEqual([]);
  expect(tracker.view('running')).toMatchObject({
    total: 60,
    done: 0,
    msLeft: null,
    serving: ['shift 1 · 0 of 30 groups closed', 'jsonl: not begun'],
  });
  for (let sample = 0; sample < 60; sample++)
    await writeRecord(
      store,
      rolloutResultSchema,
      keys.result({ runId: 'r', taskId: 'a', sample }),
      rolloutResult('r', 'a', sample),
    );
  expect(await tracker.poll()).toHaveLength(60);
  await open(1);
  await tracker.poll();
  const view = tracker.view('running');
  expect(view).toMatchObject({ total: 120, done: 60, counts: { passed: 60, waiting: 60 } });
  expect(view.tasks[0]?.marks).toHaveLength(110);
});
