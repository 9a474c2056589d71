import { type ReplayReport, reportReplay } from '../../replay/report-replay.js';
import { writeFork } from '../../replay/write-fork.js';
import { openSession, type SessionOptions } from '../../runs/session.js';
import { openStore } from '../../store/index.js';
import type { RunRecord } from '../../store/records/records.schema.js';
import type { ReplayRecord } from '../../store/records/replay.schema.js';
import { ReplayClient } from '../../temporal/replay-client.js';
import { type AttendOptions, attend, reportClosed } from '../launch-run.js';
import { type FollowReplayOptions, followReplay, type ReplayEnd } from './follow-replay.js';
import { openReplays } from './open-replay.js';

export interface AttendReplayOptions
  extends Pick<FollowReplayOptions, 'logger' | 'signal' | 'onEnded' | 'note' | 'say'> {
  stateDir: string;
  env: NodeJS.ProcessEnv;
}

/** Works on a replay that is in the store and follows it to its end. */
export async function attendReplay(
  options: AttendReplayOptions,
  run: RunRecord,
  replay: ReplayRecord,
): Promise<{ end: ReplayEnd; report: ReplayReport }> {
  const { stateDir, env, logger } = options;
  const session = await openSession({ stateDir, env, log: (line) => logger.info(line) });
  try {
    const end = await followReplay({ ...options, session, run, replay });
    return { end, report: await reportReplay(session.store, run, replay) };
  } finally {
    await session.close();
  }
}

/** Works on the run that a fork has made, as on any other. */
export async function attendFork(
  options: AttendOptions & { stateDir: string; env: NodeJS.ProcessEnv; onReady(run: RunRecord): void },
  replay: ReplayRecord,
  longrunVersion: string,
): Promise<void> {
  const { stateDir, env, logger } = options;
  const session = await openSession({ stateDir, env, log: (line) => logger.info(line) });
  try {
    const fork = await writeFork(session.store, replay, longrunVersion);
    options.onReady(fork.run);
    if (await reportClosed(session.store, fork.run.runId, options)) return;
    await attend(options, session, fork, null);
  } finally {
    await session.close();
  }
}

/** Cancels the open replays of a run; answers how many there were. */
export async function cancelReplays(options: SessionOptions, runId: string): Promise<number> {
  const open = await openReplays(await openStore(options.stateDir, options.env), runId);
  if (open.length === 0) return 0;
  const session = await openSession(options);
  try {
    const replays = new ReplayClient(session.client, session.store);
    for (const { replayId } of open) {
      // One whose workflow is gone is started, so that it closes as what it is: cancelled.
      await replays.start(runId, replayId);
      await replays.cancel(runId, replayId);
    }
    return open.length;
  } finally {
    await session.close();
  }
}
