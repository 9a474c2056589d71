import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { LongrunError } from '../../core/errors.js';
import { SECOND_MS } from '../../core/time.js';
import type { Session } from '../../runs/session.js';
import { mapBounded } from '../../store/map-bounded.js';
import type { RolloutResult, RunRecord } from '../../store/records/records.schema.js';
import type { ReplayMember, ReplayRecord } from '../../store/records/replay.schema.js';
import { readClosedReplay, readReplayResult } from '../../store/replays.js';
import { ReplayClient } from '../../temporal/replay-client.js';
import { beginHosting, linger } from '../follow-run.js';

export interface FollowReplayOptions {
  session: Session;
  run: RunRecord;
  replay: ReplayRecord;
  logger: Logger;
  /** Fires on the first Ctrl-C: pause the replay, finish what is in the air, leave. */
  signal: AbortSignal;
  /** Told of each new attempt series that has ended, once. */
  onEnded(result: RolloutResult, done: number, total: number): void;
  note(text: string | null): void;
  say(line: string): void;
}

export type ReplayEnd = 'finished' | 'cancelled' | 'failed' | 'interrupted';

const POLL_MS = 300;
const STATE_EVERY_MS = 3 * SECOND_MS;
const PAUSE_PATIENCE_MS = 5 * SECOND_MS;

/** Starts (or finds) a replay, works on it where nobody else does, and follows it to its end. */
export async function followReplay(options: FollowReplayOptions): Promise<ReplayEnd> {
  const { session, replay, signal, note } = options;
  const replays = new ReplayClient(session.client, session.store);
  const keeper = await beginHosting({ ...options, metricsAddress: null });
  try {
    await replays.start(replay.runId, replay.replayId);
    const end = await watch(options, replays);
    if (end !== 'interrupted') await linger(options, keeper);
    return end;
  } catch (error) {
    if (!signal.aborted) throw error;
    return await interrupted(options, replays);
  } finally {
    note(null);
    await keeper.end();
  }
}

async function watch(options: FollowReplayOptions, replays: ReplayClient): Promise<ReplayEnd> {
  const { session, replay, signal, logger } = options;
  const { runId, replayId } = replay;
  const open = new Set(replay.members);
  for (let askedAt = Date.now(); ; ) {
    try {
      const closed = await readClosedReplay(session.store, runId, replayId);
      await poll(options, open);
      if (closed !== null) return closed.status;
      if (Date.now() - askedAt >= STATE_EVERY_MS) {
        askedAt = Date.now();
        if ((await replays.state(runId, replayId)) !== 'running') return await endedWithout(options);
      }
    } catch (error) {
      if (signal.aborted || (LongrunError.is(error) && !error.retryable)) throw error;
      if (session.stopped()) throw error;
      logger.warn({ err: error }, 'server or store do not answer; trying again');
    }
    if (signal.aborted) return await interrupted(options, replays);
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** The workflow may have closed between two looks at the store. */
async function endedWithout({ session, replay }: FollowReplayOptions): Promise<ReplayEnd> {
  const closed = await readClosedReplay(session.store, replay.runId, replay.replayId);
  return closed?.status ?? 'failed';
}

async function poll(options: FollowReplayOptions, open: Set<ReplayMember>): Promise<void> {
  const { session, replay } = options;
  const { runId, replayId, members } = replay;
  const read = ({ taskId, sample, nth }: ReplayMember) =>
    readReplayResult(session.store, { runId, taskId, sample }, { replayId, nth });
  for await (const { item, result } of mapBounded([...open], read)) {
    if (result === null) continue;
    open.delete(item);
    options.onEnded(result, members.length - open.size, members.length);
  }
}

/** The cluster may be gone: then there is nothing to pause, and the replay is on disk all the same. */
async function interrupted(
  { replay, note, logger }: FollowReplayOptions,
  replays: ReplayClient,
): Promise<'interrupted'> {
  note('Stopping: calls in the air are finished and recorded. Ctrl-C again leaves now.');
  const patience = sleep(PAUSE_PATIENCE_MS, undefined, { ref: false });
  await Promise.race([replays.pause(replay.runId, replay.replayId), patience]).catch((error: unknown) =>
    logger.warn({ err: error }, 'the replay could not be paused'),
  );
  return 'interrupted';
}
