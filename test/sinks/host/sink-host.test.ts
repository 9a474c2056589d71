import { pino } from 'pino';
import { expect, it } from 'vitest';
import { LongrunError } from '../../../src/core/errors.js';
import { Detached } from '../../../src/core/rollout/lifecycle.js';
import { SinkHost } from '../../../src/sinks/host/sink-host.js';
import type { Sink } from '../../../src/sinks/sink.js';
import { tempStore } from '../../store/temp-store.js';
import { lifecycle } from '../../support/rollout-deps.js';
import { ServeRun } from '../support/serve-run.js';

const INPUT = { runId: 'run', incarnation: 1, sink: 'jsonl' } as const;

async function hostOf(sink: Partial<Sink>) {
  const serve = await ServeRun.plan(await tempStore(), { groupSize: 1 });
  const nothing = async () => undefined;
  const factory = () => ({ run: nothing, close: nothing, ...sink });
  const host = new SinkHost({
    store: serve.store,
    factories: { atropos: factory, listen: factory, tinker: factory, jsonl: factory },
    runs: { allow: nothing, finish: nothing },
    observer: { groupRead: () => undefined, groupSettled: () => undefined },
    ...{ hostId: 'here', logger: pino({ level: 'silent' }), env: {}, now: Date.now },
  });
  return { serve, host };
}

/** A sink that works until it is told to stop. */
const waiting: Partial<Sink> = {
  run: async ({ feed, signal }) => {
    await feed.next(signal);
  },
};

it('leaves a sink to another worker when this one shuts down', async () => {
  const { host } = await hostOf(waiting);
  const told = lifecycle();
  const running = host.run(INPUT, told);
  told.stop();
  await expect(running).rejects.toBeInstanceOf(Detached);
});

it('does not take a sink that returns because it was stopped for one that is done', async () => {
  const told = lifecycle();
  const { host } = await hostOf({ run: async () => told.stop() });
  await expect(host.run(INPUT, told)).rejects.toBeInstanceOf(Detached);
});

it('says that a sink was cancelled when its run was', async () => {
  const told = lifecycle();
  const { host } = await hostOf({ run: async () => told.cancel() });
  await expect(host.run(INPUT, told)).rejects.toMatchObject({ code: 'cancelled' });
});

it('has a sink with a bug tried again, and one that cannot go on not', async () => {
  const buggy = await hostOf({
    run: async () => {
      throw new TypeError('x is not a function');
    },
  });
  await expect(buggy.host.run(INPUT, lifecycle())).rejects.toMatchObject({
    code: 'internal',
    retryable: true,
  });
  const refused = await hostOf({
    run: async () => {
      throw new LongrunError('already_exists', 'the folder is of another run');
    },
  });
  await expect(refused.host.run(INPUT, lifecycle())).rejects.toMatchObject({
    ...{ code: 'already_exists', retryable: false },
  });
});

it('lets no executor of an earlier incarnation of the run begin again', async () => {
  const { host } = await hostOf({});
  await host.run({ ...INPUT, incarnation: 2 }, lifecycle());
  await expect(host.run(INPUT, lifecycle())).rejects.toMatchObject({ code: 'fenced' });
  await host.close({ ...INPUT, incarnation: 2 }, lifecycle());
});

it('tells an executor that a newer one has begun', async () => {
  const serve = await ServeRun.plan(await tempStore(), { groupSize: 1 });
  const older = await serve.executor('atropos');
  await older.context.checkFence();
  const newer = await serve.executor('atropos');
  await expect(older.context.checkFence()).rejects.toMatchObject({ code: 'fenced' });
  await newer.context.checkFence();
});
