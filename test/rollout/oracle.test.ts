import { afterEach, expect, it } from 'vitest';
import type { AttemptKey } from '../../src/core/ids.js';
import type { RunConfig } from '../../src/core/run/run-config.schema.js';
import { readRollout } from '../../src/records/read-rollout.js';
import { renderConversation } from '../../src/report/conversation.js';
import { plainStyle } from '../../src/report/style.js';
import { finalizeAttempt } from '../../src/rollout/finalize.js';
import { placeSandbox } from '../../src/rollout/place.js';
import { runSlice } from '../../src/rollout/turns/slice.js';
import { verifyStep } from '../../src/rollout/verify.js';
import { keys } from '../../src/store/keys.js';
import { readRecord } from '../../src/store/records/records.js';
import { oracleRunSchema } from '../../src/store/records/records.schema.js';
import { tempStore } from '../store/temp-store.js';
import { answerTest, type InlineTask, inlineTask } from '../support/inline-task.js';
import { planRun } from '../support/plan-run.js';
import { lifecycle, modelOf, response, rolloutDeps } from '../support/rollout-deps.js';

const KEY: AttemptKey = { runId: 'run', taskId: 'one', sample: 0, attempt: 1 };
const SECRET = 'key-of-the-solution-5c';
const fence = (slice: number) => ({ incarnation: 1, slice, activityAttempt: 1 });

afterEach(() => {
  delete process.env.ORACLE_TEST_KEY;
});

/** A rollout of an agent that asks no model, from placement to its sealed result, as it is shown. */
async function rollout(agent: RunConfig['agent'], task: Partial<InlineTask>, passEnv: string[] = []) {
  const store = await tempStore();
  const loaded = await inlineTask({ taskId: 'one', test: answerTest('42'), ...task });
  await planRun(store, 'run', [loaded], { agent, passEnv });
  const deps = rolloutDeps({ store, model: modelOf(() => response({})) });
  await placeSandbox(deps, { ...KEY, incarnation: 1, slice: 1, maxAttempts: 1 }, 1, lifecycle());
  await runSlice(deps, KEY, 0, fence(2), lifecycle());
  await verifyStep(deps, KEY, 0, fence(3), lifecycle());
  await finalizeAttempt(deps, { ...KEY, incarnation: 1, maxAttempts: 1, ended: null });
  const view = await readRollout(store, KEY);
  const options = { columns: 80, full: false, passThreshold: 1, style: plainStyle };
  return { store, view, text: renderConversation(view, options).join('\n') };
}

it('a solution that fails is shown with its exit code and what it printed', async () => {
  const solution = '#!/bin/sh\necho installing\necho "no such package" >&2\nexit 7\n';
  const { store, view, text } = await rollout('oracle', { solution });
  const record = await readRecord(store, oracleRunSchema, keys.oracle(KEY, 0));
  expect(record).toMatchObject({ step: 'main', exitCode: 7 });
  expect(record?.output).toContain('no such package');
  expect(Number.isInteger(record?.durationMs)).toBe(true);
  expect(view.oracle).toEqual([record]);
  expect(text).toMatch(/oracle · main · exit code 7[\s\S]*installing\nno such package[\s\S]*verifier · main/);
});

it('the output of a solution is recorded within 64 KB and without the values of the host', async () => {
  process.env.ORACLE_TEST_KEY = SECRET;
  const solution = '#!/bin/sh\necho "key: $KEY"\nseq 1 40000\n';
  const step = { solutionEnv: { KEY: '${ORACLE_TEST_KEY}' } };
  const { store, view } = await rollout('oracle', { solution, step }, ['ORACLE_TEST_KEY']);
  const output = view.oracle[0]?.output ?? '';
  expect(output).toContain('key: [redacted]');
  expect(output).toContain('bytes left out');
  expect(output).toContain('40000');
  expect(Buffer.byteLength(output)).toBeLessThan(66_000);
  const stored = await store.get(keys.oracle(KEY, 0));
  expect(Buffer.from(stored ?? []).toString()).not.toContain(SECRET);
});

it.each(['oracle', 'nop'] as const)(
  '%s is shown with the task alone: no system prompt was sent',
  async (agent) => {
    const { view, text } = await rollout(agent, { solution: '#!/bin/sh\ntrue\n' });
    const messages = view.timesteps.flatMap((step) => step.chats.flatMap((chat) => chat.messages));
    expect(messages.map(({ role, content }) => ({ role, content }))).toEqual([
      { role: 'user', content: 'Do one.' },
    ]);
    expect(text).not.toContain('You are an agent');
  },
);
