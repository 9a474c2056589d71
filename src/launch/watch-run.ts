import { setTimeout as sleep } from 'node:timers/promises';
import { LongrunError } from '../core/errors.js';
import { SECOND_MS } from '../core/time.js';
import type { RolloutResult, RunRecord } from '../store/records.schema.js';
import type { RunClient } from '../temporal/run-client.js';
import type { RunTracker } from './run-tracker.js';
import type { RunView } from './run-view.js';

const POLL_MS = SECOND_MS / 2;
/** The run's own word on whether it is paused costs a query and a count: asked now and then. */
const STATUS_EVERY_MS = 5 * SECOND_MS;

/** `budget`: paused by its own ceiling, with nothing in flight; only a person can go on from there. */
export type RunEnd = 'finished' | 'cancelled' | 'failed' | 'budget';

export interface WatchOptions {
  runs: Pick<RunClient, 'progress'>;
  wait: RunClient['wait'];
  run: RunRecord;
  tracker: RunTracker;
  signal: AbortSignal;
  onUpdate(view: RunView, finished: readonly RolloutResult[]): void;
  /** Told when the cluster stops answering; watching goes on. */
  onTrouble(error: unknown): void;
  now: () => number;
}

/** Watches a run until its workflow closes. Rejects with the signal's reason when that fires. */
export async function watchRun(options: WatchOptions): Promise<RunEnd> {
  const { run, tracker, signal, onUpdate, now } = options;
  let status: RunView['status'] = 'running';
  let end: RunEnd | null = null;
  let failure: unknown = null;
  const ended = untilEnded(options).then(
    (found) => {
      end = found;
    },
    (error) => {
      failure = error;
    },
  );
  for (let askedAt = 0; end === null && failure === null; ) {
    const finished = await tracker.poll();
    if (now() - askedAt >= STATUS_EVERY_MS) {
      askedAt = now();
      status = (await statusOf(options)) ?? status;
    }
    const view = tracker.view(status);
    onUpdate(view, finished);
    if (budgetSpent(view, run.config)) return 'budget';
    await Promise.race([ended, sleep(POLL_MS)]);
  }
  const last = await tracker.poll();
  onUpdate(tracker.view(end ?? status), last);
  signal.throwIfAborted();
  if (failure !== null) throw failure;
  return end as unknown as RunEnd;
}

function budgetSpent(view: RunView, { budgetTokens, budgetUsd }: RunRecord['config']): boolean {
  const { starting, agent, verifying } = view.counts;
  if (view.status !== 'paused' || starting + agent + verifying > 0) return false;
  return (
    (budgetTokens !== null && view.tokens >= budgetTokens) ||
    (budgetUsd !== null && (view.costUsd ?? 0) >= budgetUsd)
  );
}

async function statusOf({ runs, run, onTrouble }: WatchOptions): Promise<RunView['status'] | null> {
  try {
    return (await runs.progress(run.runId))?.status ?? null;
  } catch (error) {
    onTrouble(error);
    return null;
  }
}

/** A server that is away for a while comes back, or is started again: the wait is taken up anew. */
async function untilEnded({ wait, run, signal, onTrouble }: WatchOptions): Promise<RunEnd> {
  for (;;) {
    try {
      return await wait(run.runId, signal);
    } catch (error) {
      if (signal.aborted || LongrunError.is(error)) throw error;
      onTrouble(error);
      await sleep(SECOND_MS, undefined, { signal });
    }
  }
}
