import { setTimeout as sleep } from 'node:timers/promises';
import { LongrunError } from '../../core/errors.js';
import type { RunRecord } from '../../store/records/records.schema.js';
import type { Sink, SinkContext } from '../sink.js';
import { Delivery, type DeliveryOptions } from './delivery.js';
import { TrainerFollower } from './trainer-follower.js';

const LOOK_EVERY_MS = 1_000;

/**
 * Writes batches of Tinker datums into a folder for a trainer that reads it, and reads there what the trainer has
 * come to: once it says so, at most `maxBatchesOffpolicy` batches are started ahead of it.
 */
export function tinkerSink({ config }: RunRecord, lookEveryMs = LOOK_EVERY_MS): Sink {
  const { serve } = config;
  if (serve === null || serve.tinker === null)
    throw new LongrunError('internal', 'a run without a folder for Tinker has no such sink');
  const { tinker: folder, batchGroups, keepZeroVariance, maxTokenLength, maxBatchesOffpolicy } = serve;
  const options = { folder, batchGroups, keepZeroVariance, maxTokenLength };
  const ahead = maxBatchesOffpolicy * batchGroups;
  return {
    run: async (context) => {
      const delivery = await Delivery.open(context, options);
      const follower = await TrainerFollower.open(context, folder, () => delivery.ledger.batches.length);
      const limits = new Limits(context, ahead, batchGroups);
      context.report({ note: `batches in ${folder}` });
      await untilFirst(context.signal, [
        (signal) => delivery.work(signal),
        async (signal) => {
          for (;;) {
            await follower.look();
            const consumed = follower.state?.consumed ?? null;
            await limits.tell(consumed, delivery.ledger.skipped.length);
            const batches = delivery.ledger.batches.length;
            context.report({ counts: { batches, ...(consumed === null ? {} : { consumed }) } });
            if (!(await pause(lookEveryMs, signal))) return;
          }
        },
      ]);
    },
    close: (context) => closeFolder(context, options),
  };
}

/** Of a run that was cancelled: the groups that closed are a batch, too, and the manifest says that it was the last. */
async function closeFolder(context: SinkContext, options: DeliveryOptions): Promise<void> {
  const delivery = await Delivery.open(context, options);
  await delivery.finish();
}

/** How far the run may go: skipped groups are in no batch, and take no room. */
class Limits {
  private told: number | null = null;

  constructor(
    private readonly context: SinkContext,
    private readonly ahead: number,
    private readonly batchGroups: number,
  ) {}

  /** `consumed` null: there is no trainer to wait for. */
  async tell(consumed: number | null, skipped: number): Promise<void> {
    const limit =
      consumed === null ? Number.MAX_SAFE_INTEGER : consumed * this.batchGroups + this.ahead + skipped;
    if (limit === this.told) return;
    await this.context.allow(limit);
    this.told = limit;
  }
}

/** Ends with the first that ends, or fails; the others are stopped and waited for. */
async function untilFirst(
  signal: AbortSignal,
  parts: readonly ((signal: AbortSignal) => Promise<void>)[],
): Promise<void> {
  const stop = new AbortController();
  const both = AbortSignal.any([signal, stop.signal]);
  let first: PromiseSettledResult<void> | null = null;
  await Promise.all(
    parts.map(async (part) => {
      const [result] = await Promise.allSettled([part(both)]);
      first ??= result as PromiseSettledResult<void>;
      stop.abort();
    }),
  );
  const ended = first as PromiseSettledResult<void> | null;
  if (ended?.status === 'rejected') throw ended.reason;
  signal.throwIfAborted();
}

/** False when `signal` has fired. */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return await sleep(ms, true, { signal }).catch(() => false);
}
