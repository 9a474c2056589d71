import { expect, it } from 'vitest';
import type { AttemptKey } from '../../src/core/ids.js';
import { estimatePrompt } from '../../src/model/estimate-tokens.js';
import type { ModelRequest } from '../../src/model/model-client.js';
import { placeSandbox } from '../../src/rollout/place.js';
import { runSlice } from '../../src/rollout/turns/slice.js';
import { readStepHistory } from '../../src/rollout/turns/step-history.js';
import { tempStore } from '../store/temp-store.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { MODEL_RUN } from '../support/model-run.js';
import { planRun } from '../support/plan-run.js';
import { lifecycle, modelOf, response, rolloutDeps } from '../support/rollout-deps.js';

const KEY: AttemptKey = { runId: 'run', taskId: 'one', sample: 0, attempt: 1 };
const fence = (slice: number) => ({ incarnation: 1, slice, activityAttempt: 1 });

it('a summary that the agent asks for is paid for, timed and made once, like any other call', async () => {
  const store = await tempStore();
  await planRun(store, 'run', [await inlineTask({ taskId: 'one', test: answerTest('42') })], {
    ...MODEL_RUN,
    contextPolicy: 'summarise',
    contextWindow: 6_000,
  });
  let summaries = 0;
  let promptTokens = 0;
  const counted = (request: ModelRequest, message: Parameters<typeof response>[0]) => {
    const usage = {
      promptTokens: estimatePrompt(request.messages, request.tools),
      cachedTokens: 0,
      completionTokens: 10,
    };
    promptTokens += usage.promptTokens;
    return { ...response(message), usage };
  };
  const model = modelOf((request) => {
    if (request.tools.length === 0) {
      summaries += 1;
      return counted(request, { content: 'Numbers were printed.' });
    }
    const turns = request.turn ?? 0;
    return counted(request, turns < 6 ? { run: 'seq 1 1500' } : { content: 'Done.' });
  });
  const deps = rolloutDeps({ store, model });
  await placeSandbox(deps, { ...KEY, incarnation: 1, slice: 1, maxAttempts: 1 }, 1, lifecycle());
  const answer = await runSlice(deps, KEY, 0, fence(2), lifecycle());
  expect(answer).toMatchObject({ done: true, turns: 7, stopReason: 'natural' });
  expect(summaries).toBeGreaterThan(0);
  const history = await readStepHistory(store, KEY, 0);
  expect(history.failures).toEqual([]);
  expect(model.requests).toHaveLength(7 + summaries);
  expect(history.usage).toEqual({
    promptTokens,
    cachedTokens: 0,
    completionTokens: 10 * model.requests.length,
  });
  expect(history.modelMs).toBe(model.requests.length);
});
