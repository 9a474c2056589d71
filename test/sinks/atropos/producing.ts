import { onTestFinished } from 'vitest';
import { type GroupKey, groupId } from '../../../src/core/ids.js';
import type { RunConfig } from '../../../src/core/run/run-config.schema.js';
import type { ServeConfig } from '../../../src/core/run/serve-config.schema.js';
import { atroposSink } from '../../../src/sinks/atropos/index.js';
import { type AtroposDelivery, atroposDeliverySchema } from '../../../src/sinks/atropos/ledger.schema.js';
import { keys } from '../../../src/store/keys.js';
import { readRecord } from '../../../src/store/records/records.js';
import { tempStore } from '../../store/temp-store.js';
import { ServeRun } from '../support/serve-run.js';
import type { ExecutorOptions } from '../support/sink-executor.js';
import { AtroposDouble } from './double.js';

export const GROUP_SIZE = 2;
const QUICK = { pollMs: 10, lingerMs: 50, retryMs: { first: 10, longest: 20 }, postTimeoutMs: 500 };

/** A run that serves a double of the Atropos server. */
export async function producing(serve: Partial<ServeConfig> = {}, config: Partial<RunConfig> = {}) {
  const double = await AtroposDouble.start();
  onTestFinished(() => double.stop());
  const run = await ServeRun.plan(await tempStore(), {
    groupSize: GROUP_SIZE,
    config,
    serve: { atropos: double.url, ...serve },
  });
  const sink = atroposSink(run.run, QUICK);
  const work = async (options?: ExecutorOptions) => {
    const executor = await run.executor('atropos', options);
    const done = sink.run(executor.context);
    done.catch(() => undefined);
    /** Ends it as a worker does that shuts down. */
    const stop = async () => {
      executor.stop();
      await done.catch(() => undefined);
      await executor.close();
    };
    return { executor, done, stop };
  };
  const close = async () => sink.close((await run.executor('atropos')).context);
  const delivery = (key: GroupKey): Promise<AtroposDelivery | null> =>
    readRecord(run.store, atroposDeliverySchema, keys.delivery(key.runId, 'atropos', key.taskId, key.index));
  return { double, run, work, close, delivery, id: groupId };
}
