import { describe, expect, it } from 'vitest';
import { LongrunError } from '../../src/core/errors.js';
import type { AttemptKey } from '../../src/core/ids.js';
import { placeSandbox } from '../../src/rollout/place.js';
import { MemoryDriver } from '../../src/sandbox/memory/index.js';
import type { SandboxDriver } from '../../src/sandbox/sandbox.js';
import { keys } from '../../src/store/keys.js';
import { readRecord } from '../../src/store/records/records.js';
import { placementSchema } from '../../src/store/records/records.schema.js';
import type { ArtifactStore } from '../../src/store/store.js';
import { tempStore } from '../store/temp-store.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { MODEL_RUN } from '../support/model-run.js';
import { planRun } from '../support/plan-run.js';
import { lifecycle, modelOf, response, rolloutDeps } from '../support/rollout-deps.js';

const KEY: AttemptKey = { runId: 'run', taskId: 'one', sample: 0, attempt: 1 };
const INPUT = { ...KEY, incarnation: 1, slice: 1, maxAttempts: 3 };

async function planned(config = {}): Promise<ArtifactStore> {
  const store = await tempStore();
  await planRun(store, 'run', [await inlineTask({ taskId: 'one', test: answerTest('42') })], {
    ...MODEL_RUN,
    ...config,
  });
  return store;
}

const depsOf = (store: ArtifactStore, driver: SandboxDriver = new MemoryDriver()) =>
  rolloutDeps({ store, driver, model: modelOf(() => response({})) });

describe('placing an attempt', () => {
  it('twice at once settles on one sandbox; the other one is removed and frees its slot', async () => {
    const store = await planned();
    const driver = new MemoryDriver();
    const [a, b] = [depsOf(store, driver), depsOf(store, driver)];
    const answers = await Promise.all([
      placeSandbox(a, INPUT, 1, lifecycle()),
      placeSandbox(b, INPUT, 2, lifecycle()),
    ]);
    expect(answers[0]).toEqual(answers[1]);
    expect(await driver.list('tests')).toHaveLength(1);
    // Each counts the one that is there, and nothing else.
    expect([a.ledgers.of('memory').liveCount, b.ledgers.of('memory').liveCount]).toEqual([1, 1]);
  });

  it('again finds the sandbox that is recorded', async () => {
    const store = await planned();
    const driver = new MemoryDriver();
    const first = await placeSandbox(depsOf(store, driver), INPUT, 1, lifecycle());
    const again = await placeSandbox(depsOf(store, driver), INPUT, 1, lifecycle());
    expect(again).toEqual(first);
    expect(await driver.list('tests')).toHaveLength(1);
  });

  it('waits for an engine that does not answer: no attempt is spent on it', async () => {
    const store = await planned();
    const driver = new MemoryDriver();
    driver.create = async () => {
      throw new LongrunError('sandbox_unavailable', 'the engine does not answer', { retryable: true });
    };
    await expect(placeSandbox(depsOf(store, driver), INPUT, 20, lifecycle())).rejects.toMatchObject({
      code: 'sandbox_unavailable',
      retryable: true,
    });
  });

  it('keeps its sandbox when the store says that the record could not be written, and it was', async () => {
    const store = await planned();
    const driver = new MemoryDriver();
    let lost = 0;
    const put = store.putIfAbsent.bind(store);
    store.putIfAbsent = async (key, ...value) => {
      const won = await put(key, ...value);
      if (!key.endsWith('placement.json') || lost > 0) return won;
      lost += 1;
      throw new LongrunError('store_unavailable', 'the answer was lost', { retryable: true });
    };
    expect(await placeSandbox(depsOf(store, driver), INPUT, 1, lifecycle())).toMatchObject({
      kind: 'placed',
    });
    expect(lost).toBe(1);
    const placement = await readRecord(store, placementSchema, keys.placement(KEY));
    expect((await driver.list('tests')).map(({ ref }) => ref)).toEqual([placement?.sandbox]);
  });

  it('ends the attempt where the engine refuses again and again', async () => {
    const store = await planned();
    const driver = new MemoryDriver();
    driver.create = async () => {
      throw new LongrunError('sandbox_failed', 'no', { retryable: true });
    };
    const place = (nth: number) => placeSandbox(depsOf(store, driver), INPUT, nth, lifecycle());
    await expect(place(1)).rejects.toMatchObject({ code: 'sandbox_failed' });
    expect(await place(3)).toMatchObject({
      kind: 'failed',
      stopReason: 'provision_error',
      failure: { retryable: true },
    });
  });

  it('waits as long as the registry of its image asks for, and tries again', async () => {
    const store = await planned();
    const driver = new MemoryDriver();
    driver.prepareImage = async () => {
      const details = { retryAfterMs: 90_000 };
      throw new LongrunError('image_missing', 'too many requests', { retryable: true, details });
    };
    const place = (nth: number) => placeSandbox(depsOf(store, driver), INPUT, nth, lifecycle());
    await expect(place(1)).rejects.toMatchObject({ delayMs: 90_000, reason: { code: 'image_missing' } });
    // An attempt that has waited again and again makes room for the next one.
    expect(await place(3)).toMatchObject({ kind: 'failed', failure: { retryable: true } });
  });

  it('ends the rollout where its image is missing for good', async () => {
    const store = await planned();
    const driver = new MemoryDriver();
    driver.prepareImage = async () => {
      throw new LongrunError('image_missing', 'manifest unknown');
    };
    expect(await placeSandbox(depsOf(store, driver), INPUT, 1, lifecycle())).toMatchObject({
      kind: 'failed',
      failure: { code: 'image_missing', message: 'manifest unknown', retryable: false },
    });
  });

  it('holds back a rollout that the budget has no room for, and pauses its run', async () => {
    const store = await planned({ budgetTokens: 1_000 });
    const paused: string[] = [];
    const deps = {
      ...depsOf(store),
      pauseRun: async (_: string, reason: string) => {
        paused.push(reason);
      },
    };
    const hold = { scope: 'run', stop: 'token_budget' };
    expect(await placeSandbox(deps, INPUT, 1, lifecycle())).toEqual({ kind: 'held', hold });
    expect(paused).toEqual(['token_budget']);
    expect(deps.ledgers.of('memory').liveCount).toBe(0);
  });
});
