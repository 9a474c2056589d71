import { expect, it } from 'vitest';
import type { AttemptKey } from '../../src/core/ids.js';
import { attemptRecord } from '../../src/rollout/attempt-record.js';
import { placeSandbox } from '../../src/rollout/place.js';
import { runSlice } from '../../src/rollout/turns/slice.js';
import { keys } from '../../src/store/keys.js';
import { readRecord } from '../../src/store/records/records.js';
import { agentEndSchema, toolResultSchema } from '../../src/store/records/records.schema.js';
import { readTask } from '../../src/store/runs.js';
import { tempStore } from '../store/temp-store.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { MODEL_RUN } from '../support/model-run.js';
import { planRun } from '../support/plan-run.js';
import { lifecycle, modelOf, response, rolloutDeps } from '../support/rollout-deps.js';

const KEY: AttemptKey = { runId: 'run', taskId: 'one', sample: 0, attempt: 1 };

it('durations are recorded in whole milliseconds, however finely the sandbox measures them', async () => {
  const store = await tempStore();
  await planRun(store, 'run', [await inlineTask({ taskId: 'one', test: answerTest('42') })], MODEL_RUN);
  const model = modelOf((_, nth) => response(nth < 4 ? { run: 'seq 1 500' } : { content: 'Done.' }));
  const deps = rolloutDeps({ store, model });
  await placeSandbox(deps, { ...KEY, incarnation: 1, slice: 1, maxAttempts: 1 }, 1, lifecycle());
  await runSlice(deps, KEY, 0, { incarnation: 1, slice: 2, activityAttempt: 1 }, lifecycle());
  const result = await readRecord(store, toolResultSchema, keys.toolResult(KEY, 0, 0, 0));
  const end = await readRecord(store, agentEndSchema, keys.agentEnd(KEY, 0));
  const { timings } = await attemptRecord(store, KEY, await readTask(store, 'run', 'one'), null, deps.now());
  const recorded = [result?.durationMs, end?.activeMs, timings.provisionMs, timings.modelMs, timings.toolsMs];
  expect(recorded.filter((duration) => !Number.isInteger(duration))).toEqual([]);
});
