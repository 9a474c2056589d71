import { LongrunError } from '../core/errors.js';
import { hasWorker } from '../hosts/worker-presence.js';
import { joinSession, openSession, type SessionOptions } from '../runs/session.js';
import { endDocument } from '../runs/status/end-document.js';
import { RunTracker } from '../runs/status/run-tracker.js';
import { watchRun } from '../runs/status/watch-run.js';
import { openStore } from '../store/index.js';
import type { RunRecord } from '../store/records/records.schema.js';
import { readPlan, readRun } from '../store/runs.js';
import type { RunClient } from '../temporal/run-client.js';
import { type AttendOptions, attend, reportClosed } from './launch-run.js';

export interface ResumeOptions extends AttendOptions {
  stateDir: string;
  env: NodeJS.ProcessEnv;
  runId: string;
  /** Only resume: leave the work to a worker that runs. */
  detach: boolean;
  onReady(run: RunRecord): void;
}

/** Carries on a run that was paused, or whose process is gone, and follows it to its end. */
export async function resumeRun(options: ResumeOptions): Promise<void> {
  const { stateDir, env, runId, logger } = options;
  const store = await openStore(stateDir, env);
  const run = await readRun(store, runId);
  if (await reportClosed(store, runId, options)) return;
  const session = await openSession({ stateDir, env, log: (line) => logger.info(line) });
  try {
    const plan = await readPlan(session.store, runId);
    options.onReady(run);
    if (!options.detach) return await attend(options, session, { run, plan }, null);
    if (!(await hasWorker(session))) throw noWorker(runId);
    await session.runs.start(runId);
    await session.runs.resume(runId);
    await options.onEnd({ kind: 'detached', runId });
  } finally {
    await session.close();
  }
}

/** Follows a run that others work on. A Ctrl-C ends the watching and changes nothing. */
export async function watchOnly(options: Omit<ResumeOptions, 'detach'>): Promise<void> {
  const { stateDir, env, runId, onReady } = options;
  const folder = await openStore(stateDir, env);
  const run = await readRun(folder, runId);
  if (await reportClosed(folder, runId, options)) return;
  const session = await joinSession({ stateDir, env });
  if (session === null) throw nobodyWorks(runId);
  try {
    const plan = await readPlan(session.store, runId);
    onReady(run);
    const { store, runs, wait, stopped } = session;
    const end = await watchRun({
      ...options,
      runs,
      wait,
      stopped,
      run,
      tracker: new RunTracker(store, run, plan, options.now),
    });
    await options.onEnd({ kind: 'ended', end, document: await endDocument(session, runId, end), store });
  } finally {
    await session.close();
  }
}

/** Starts the workflows of a run anew from its store. `worked`: a worker is there to take them. */
export async function recoverRun(
  options: SessionOptions,
  runId: string,
): Promise<{ incarnation: number; worked: boolean }> {
  await readRun(await openStore(options.stateDir, options.env), runId);
  const session = await openSession(options);
  try {
    const { incarnation } = await session.runs.recover(runId);
    return { incarnation, worked: await hasWorker(session) };
  } finally {
    await session.close();
  }
}

/** Hands the client of an open run's cluster to `use`. Answers whether a worker is there to act on it. */
export async function withRunClient(
  options: SessionOptions,
  runId: string,
  use: (runs: RunClient) => Promise<void>,
): Promise<boolean> {
  await readRun(await openStore(options.stateDir, options.env), runId);
  const session = await openSession(options);
  try {
    const progress = await session.runs.progress(runId);
    if (progress === null || ['finished', 'cancelled', 'failed'].includes(progress.status)) {
      throw notOpen(runId, progress?.status ?? 'not known to its cluster');
    }
    await use(session.runs);
    return await hasWorker(session);
  } finally {
    await session.close();
  }
}

function noWorker(runId: string): LongrunError {
  return new LongrunError('no_worker', `Run ${runId} was not resumed: no worker is running to take it.`, {
    hint: `Leave out --detach to work on it here, or start a worker with: longrun up`,
    details: { runId },
  });
}

function nobodyWorks(runId: string): LongrunError {
  return new LongrunError(
    'no_worker',
    `Nothing is running for this state folder, so there is nothing to watch.`,
    {
      hint: `Carry the run on with: longrun runs resume ${runId}`,
      details: { runId },
    },
  );
}

function notOpen(runId: string, status: string): LongrunError {
  return new LongrunError('not_found', `Run ${runId} is not open: it is ${status}.`, {
    hint: `Look at it with: longrun runs show ${runId}`,
    details: { runId, status },
  });
}
