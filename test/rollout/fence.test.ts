import { describe, expect, it } from 'vitest';
import type { AttemptKey } from '../../src/core/ids.js';
import type { ModelResponse } from '../../src/model/model-client.js';
import { placeSandbox } from '../../src/rollout/place.js';
import { runSlice } from '../../src/rollout/turns/slice.js';
import { readTurn } from '../../src/rollout/turns/step-history.js';
import { verifyStep } from '../../src/rollout/verify.js';
import { MemoryDriver } from '../../src/sandbox/memory/index.js';
import { runExec } from '../../src/sandbox/run-exec.js';
import { raiseFence } from '../../src/store/fence-store.js';
import { openStore } from '../../src/store/index.js';
import { keys } from '../../src/store/keys.js';
import { putRecordIfAbsent, readRecord } from '../../src/store/records/records.js';
import { callRecordSchema, verdictSchema } from '../../src/store/records/records.schema.js';
import type { ArtifactStore } from '../../src/store/store.js';
import { tempStateDir, tempStore } from '../store/temp-store.js';
import { startChild } from '../support/child.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { MODEL_RUN } from '../support/model-run.js';
import { planRun } from '../support/plan-run.js';
import { BOUND, lifecycle, modelOf, response, rolloutDeps } from '../support/rollout-deps.js';

const KEY: AttemptKey = { runId: 'run', taskId: 'one', sample: 0, attempt: 1 };
const fence = (slice: number) => ({ incarnation: 1, slice, activityAttempt: 1 });
const ANSWER = 'mkdir -p /app; echo 42 > /app/answer';

/** A placed attempt on a sandbox that several executors share. */
async function placed(store: ArtifactStore) {
  const driver = new MemoryDriver();
  await planRun(store, 'run', [await inlineTask({ taskId: 'one', test: answerTest('42') })], MODEL_RUN);
  const deps = rolloutDeps({ store, driver, model: modelOf(() => response({})) });
  const answer = await placeSandbox(
    deps,
    { ...KEY, incarnation: 1, slice: 1, maxAttempts: 1 },
    1,
    lifecycle(),
  );
  if (answer.kind !== 'placed') throw new Error('it was not placed');
  return { driver, look: (script: string) => look(driver, script) };
}

async function look(driver: MemoryDriver, script: string): Promise<string> {
  const [info] = await driver.list('tests');
  const sandbox = info ? await driver.adopt(info.ref) : null;
  if (sandbox === null) throw new Error('there is no sandbox');
  const request = {
    script,
    cwd: null,
    env: {},
    user: null,
    timeoutMs: 5_000,
    outputLimitBytes: 9_999,
    stdin: null,
  };
  const { output } = await runExec(sandbox, request, new AbortController().signal);
  return Buffer.from(output.head).toString('utf8');
}

/** A promise that the test resolves. */
function gate<T>() {
  let open!: (value: T) => void;
  const opened = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe('an executor that a newer one has taken over from', () => {
  it('discards the answer that it was waiting for, and does nothing with it', async () => {
    const store = await tempStore();
    const { driver, look } = await placed(store);
    const late = gate<ModelResponse>();
    const called = gate<void>();
    const oldModel = modelOf(() => {
      called.open();
      return late.opened;
    });
    const older = runSlice(rolloutDeps({ store, driver, model: oldModel }), KEY, 0, fence(2), lifecycle());
    await called.opened;

    const newModel = modelOf((_, nth) =>
      nth === 1 ? response({ run: ANSWER }) : response({ content: 'Done.' }),
    );
    const newer = await runSlice(
      rolloutDeps({ store, driver, model: newModel }),
      KEY,
      0,
      fence(3),
      lifecycle(),
    );
    late.open(response({ run: 'echo late >> /app/effects' }));
    await expect(older).rejects.toMatchObject({ code: 'fenced' });

    expect(newer).toMatchObject({ done: true, turns: 2, stopReason: 'natural' });
    expect(oldModel.requests).toHaveLength(1);
    expect(await look('ls /app')).toBe('answer\n');
    const { turn, failures } = await readTurn(store, KEY, 0, 0);
    expect(turn?.call.callId).toBe(newModel.requests[0]?.callId);
    // The one lost call, charged at its bound.
    expect(failures).toMatchObject([
      {
        callId: oldModel.requests[0]?.callId,
        kind: 'lost',
        usage: { promptTokens: BOUND.promptTokens, completionTokens: BOUND.completionTokens },
      },
    ]);
  });

  it('charges what its late answer cost where nobody has settled the call yet', async () => {
    const store = await tempStore();
    const { driver } = await placed(store);
    const model = modelOf(async () => {
      await raiseFence(store, KEY, fence(3));
      return response({ run: ANSWER });
    });
    const older = runSlice(rolloutDeps({ store, driver, model }), KEY, 0, fence(2), lifecycle());
    await expect(older).rejects.toMatchObject({ code: 'fenced' });
    const { turn, failures } = await readTurn(store, KEY, 0, 0);
    expect(turn).toBeNull();
    expect(failures).toMatchObject([
      { kind: 'lost', code: 'late_answer', usage: { promptTokens: 100, completionTokens: 10 } },
    ]);
  });

  it('lets the command that it started run once: the newer one waits for it', async () => {
    const store = await tempStore();
    const { driver, look } = await placed(store);
    const model = () =>
      modelOf((request) =>
        request.messages.some(({ role }) => role === 'tool')
          ? response({ content: 'Done.' })
          : response({ run: 'mkdir -p /app; echo once >> /app/effects; sleep 1' }),
      );
    const [first, second] = [model(), model()];
    const older = runSlice(rolloutDeps({ store, driver, model: first }), KEY, 0, fence(2), lifecycle());
    const stopped = older.catch((error: unknown) => error);
    while ((await store.get(keys.toolExec(KEY, 0, 0, 0))) === null)
      await new Promise((resolve) => setTimeout(resolve, 5));
    const newer = await runSlice(
      rolloutDeps({ store, driver, model: second }),
      KEY,
      0,
      fence(3),
      lifecycle(),
    );
    expect(newer).toMatchObject({ done: true, turns: 2 });
    await stopped;
    expect(await look('cat /app/effects')).toBe('once\n');
    // Both waited for the same command; only one of them asked the model what to do next.
    expect(first.requests.length + second.requests.length).toBe(2);
  });

  it('records no verdict from a sandbox that the newer one has already removed', async () => {
    const store = await tempStore();
    const { driver } = await placed(store);
    const model = modelOf(() => response({ content: 'Done.' }));
    const deps = rolloutDeps({ store, driver, model });
    await runSlice(deps, KEY, 0, fence(2), lifecycle());
    const taken: typeof deps = {
      ...deps,
      environmentOf: (run) => ({
        ...deps.environmentOf(run),
        async computeReward(task, step, context) {
          await raiseFence(store, KEY, fence(4));
          await context.agentSandbox.destroy();
          return deps.environmentOf(run).computeReward(task, step, context);
        },
      }),
    };
    await expect(verifyStep(taken, KEY, 0, fence(3), lifecycle())).rejects.toMatchObject({ code: 'fenced' });
    expect(await readRecord(store, verdictSchema, keys.verdict(KEY, 0))).toBeNull();
  });

  it('never begins again', async () => {
    const store = await tempStore();
    const { driver } = await placed(store);
    await raiseFence(store, KEY, fence(5));
    const model = modelOf(() => response({ content: 'Done.' }));
    const older = runSlice(rolloutDeps({ store, driver, model }), KEY, 0, fence(4), lifecycle());
    await expect(older).rejects.toMatchObject({ code: 'fenced' });
    expect(model.requests).toHaveLength(0);
  });

  it('stops in another process, too', async () => {
    const stateDir = await tempStateDir();
    const store = await openStore(stateDir);
    await planRun(store, 'run', [await inlineTask({ taskId: 'one', test: answerTest('42') })], MODEL_RUN);
    const child = startChild(new URL('../support/slow-executor.child.ts', import.meta.url), [stateDir]);
    expect(await child.line()).toBe('calling');
    await raiseFence(store, KEY, fence(9));
    await store.put('answer-now', new Uint8Array());
    expect(JSON.parse(await child.line())).toEqual({ code: 'fenced', effects: '' });
    expect((await readTurn(store, KEY, 0, 0)).turn).toBeNull();
  });
});

describe('an executor whose record comes second', () => {
  it('goes on with the one that was stored first, and accounts for its own call', async () => {
    const store = await tempStore();
    const { driver, look } = await placed(store);
    const model = modelOf(async (request, nth) => {
      if (nth === 2) return response({ content: 'Done.' });
      const first = await elsewhere(store, request.callId);
      expect(first).toBe(true);
      return response({ run: 'echo mine > /app/answer' });
    });
    const deps = rolloutDeps({ store, driver, model });
    const answer = await runSlice(deps, KEY, 0, fence(2), lifecycle());
    expect(answer).toMatchObject({ done: true, turns: 2 });
    expect(await look('cat /app/answer')).toBe('42\n');
    const { turn, failures } = await readTurn(store, KEY, 0, 0);
    expect(turn?.call.callId).toBe('elsewhere');
    expect(failures).toMatchObject([{ callId: model.requests[0]?.callId, code: 'late_answer' }]);
  });

  /** Puts another executor's answer into the place of the first turn. */
  async function elsewhere(store: ArtifactStore, callId: string): Promise<boolean> {
    const { message, ...rest } = response({ run: ANSWER });
    const { content, reasoning, toolCalls } = message;
    const record = {
      schemaVersion: 1 as const,
      ...rest,
      callId: 'elsewhere',
      message: { content, reasoning, toolCalls },
      startedAt: 1,
      sentView: null,
    };
    expect(callId).not.toBe('elsewhere');
    return (await putRecordIfAbsent(store, callRecordSchema, keys.call(KEY, 0, 0), record)).won;
  }
});
