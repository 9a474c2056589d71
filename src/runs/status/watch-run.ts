import { setTimeout as sleep } from 'node:timers/promises';
import { LongrunError } from '../../core/errors.js';
import { SECOND_MS } from '../../core/time.js';
import { pauseNote } from '../../report/pause-text.js';
import type { RolloutResult, RunRecord } from '../../store/records/records.schema.js';
import type { RunClient, RunProgress } from '../../temporal/run-client.js';
import { BudgetWatch } from './budget-watch.js';
import type { RunTracker } from './run-tracker.js';
import type { RunView } from './run-view.js';
import { TroubleLine } from './trouble-line.js';

const POLL_MS = SECOND_MS / 2;
/** The run's own word on whether it is paused costs a query and a count of results: asked the less often the larger it is. */
const STATUS_EVERY_MS = 5 * SECOND_MS;
const STATUS_EVERY_MS_PER_ROLLOUT = 5;
const STATUS_AT_LEAST_MS = 60 * SECOND_MS;

/** `budget`: paused at its own ceiling, and nothing moves any more. */
export type RunEnd = 'finished' | 'cancelled' | 'failed' | 'budget';

export interface WatchOptions {
  runs: Pick<RunClient, 'progress'>;
  wait: RunClient['wait'];
  /** Whether the server was stopped on purpose, and will not come back. */
  stopped(): boolean;
  run: RunRecord;
  tracker: RunTracker;
  signal: AbortSignal;
  onUpdate(view: RunView, finished: readonly RolloutResult[]): void;
  /** A line for the person that stays: store or server do not answer, and do again. Watching goes on. */
  say(line: string): void;
  now: () => number;
}

/** Watches a run until its workflow closes. Rejects with the signal's reason when that fires, and when its server was stopped. */
export async function watchRun(options: WatchOptions): Promise<RunEnd> {
  const { run, tracker, signal, onUpdate, now } = options;
  const budget = new BudgetWatch();
  const [store, server] = [new TroubleLine(options.say), new TroubleLine(options.say)];
  const leaving = new AbortController();
  const ended = observe(
    untilEnded({ ...options, signal: AbortSignal.any([signal, leaving.signal]) }, server),
  );
  let standing: Pick<RunProgress, 'status' | 'reason' | 'detail'> = { status: 'running', reason: null };
  try {
    for (let askedAt = 0; !ended.settled; ) {
      if (options.stopped()) throw serverStopped(run.runId);
      const finished = await poll(options, store);
      const everyMs = Math.min(
        STATUS_AT_LEAST_MS,
        STATUS_EVERY_MS + tracker.total * STATUS_EVERY_MS_PER_ROLLOUT,
      );
      if (now() - askedAt >= everyMs) {
        askedAt = now();
        standing = (await standingOf(options, server)) ?? standing;
      }
      const view = tracker.view(standing.status, pauseNote(standing.reason, run.config, standing.detail));
      onUpdate(view, finished);
      if (budget.stalls(view, standing.reason, now())) return 'budget';
      await Promise.race([ended.promise, sleep(POLL_MS)]).catch(() => undefined);
    }
    signal.throwIfAborted();
    const end = await ended.promise;
    const last = await poll(options, store, true);
    onUpdate(tracker.view(end), last);
    return end;
  } finally {
    leaving.abort(new Error('nobody watches any more'));
  }
}

function serverStopped(runId: string): LongrunError {
  return new LongrunError(
    'temporal_unreachable',
    `The Temporal server of this state folder was stopped; run ${runId} stays on disk.`,
    { hint: `Carry it on with: longrun runs resume ${runId}`, details: { runId } },
  );
}

/** A promise that can be asked whether it is settled, and whose failure may wait until somebody looks. */
function observe<T>(promise: Promise<T>): { promise: Promise<T>; settled: boolean } {
  const observed = { promise, settled: false };
  const settle = (): void => {
    observed.settled = true;
  };
  promise.then(settle, settle);
  return observed;
}

/** A store that is away for a while comes back; what was missed is found then. */
async function poll({ tracker }: WatchOptions, store: TroubleLine, all = false): Promise<RolloutResult[]> {
  try {
    const found = await tracker.poll(all);
    store.over();
    return found;
  } catch (error) {
    if (!LongrunError.is(error) || !error.retryable) throw error;
    store.trouble(error);
    return [];
  }
}

async function standingOf({ runs, run }: WatchOptions, server: TroubleLine): Promise<RunProgress | null> {
  try {
    const progress = await runs.progress(run.runId);
    server.over();
    return progress;
  } catch (error) {
    server.trouble(error);
    return null;
  }
}

/** A server that is away for a while comes back, or is started again: the wait is taken up anew. */
async function untilEnded({ wait, run, signal }: WatchOptions, server: TroubleLine): Promise<RunEnd> {
  for (;;) {
    try {
      return await wait(run.runId, signal);
    } catch (error) {
      if (signal.aborted || LongrunError.is(error)) throw error;
      server.trouble(error);
      await sleep(SECOND_MS, undefined, { signal });
    }
  }
}
