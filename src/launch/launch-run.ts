import type { Logger } from 'pino';
import type { ProcessSettings } from '../config/process-settings.schema.js';
import type { ServeSettings } from '../config/serve-settings.schema.js';
import type { Settings } from '../config/settings.schema.js';
import { LongrunError } from '../core/errors.js';
import { startMetricsServer } from '../hosts/metrics-server.js';
import { hasWorker } from '../hosts/worker-presence.js';
import { buildRunDocument } from '../records/document.js';
import type { RunDocument } from '../records/summary.js';
import { readClosedRun } from '../records/write-summary.js';
import { makeOutputFolder } from '../runs/output-folder.js';
import { prepareProcess } from '../runs/prepare-process.js';
import { type PreparedRun, prepareRun } from '../runs/prepare-run.js';
import { prepareServe } from '../runs/prepare-serve.js';
import { openSession, type Session } from '../runs/session.js';
import { endDocument } from '../runs/status/end-document.js';
import type { RunView } from '../runs/status/run-view.js';
import { withServing } from '../runs/status/serve-status.js';
import type { RunEnd } from '../runs/status/watch-run.js';
import { type WrittenRun, writeRun } from '../runs/write-run.js';
import { openStore } from '../store/index.js';
import type { RolloutResult } from '../store/records/records.schema.js';
import type { ArtifactStore } from '../store/store.js';
import { followRun } from './follow-run.js';

/** What attending a run needs of whoever shows it. */
export interface AttendOptions {
  logger: Logger;
  /** Fires on the first Ctrl-C. */
  signal: AbortSignal;
  now: () => number;
  onUpdate(view: RunView, finished: readonly RolloutResult[]): void;
  /** A line for the person at the terminal. */
  note(text: string | null): void;
  /** A line for the person that stays, whatever the view shows. */
  say(line: string): void;
  /** Given the results before the process leaves the worker and the server. */
  onEnd(outcome: LaunchOutcome): Promise<void>;
}

export interface LaunchOptions<S = Settings> extends AttendOptions {
  settings: S;
  stateDir: string;
  env: NodeJS.ProcessEnv;
  longrunVersion: string;
  /** Told once the run is on disk, before it starts. */
  onReady(written: WrittenRun): void;
}

export type LaunchOutcome =
  | { kind: 'ended'; end: RunEnd; document: RunDocument; store: ArtifactStore }
  | { kind: 'interrupted'; runId: string }
  | { kind: 'detached'; runId: string };

/** From settings to results: prepares, writes, starts and follows a run, or leaves it to a worker. */
export async function launchRun(options: LaunchOptions): Promise<void> {
  await launch(options, prepareRun(options));
}

/** The same for a run of mode `process`. */
export async function launchProcess(options: LaunchOptions<ProcessSettings>): Promise<void> {
  await launch(options, prepareProcess(options));
}

/** The same for a run of mode `serve`. */
export async function launchServe(options: LaunchOptions<ServeSettings>): Promise<void> {
  const settings = { ...options.settings, output: null };
  await launch({ ...options, settings }, prepareServe(options));
}

async function launch(
  options: LaunchOptions<Pick<Settings, 'metricsPort' | 'output' | 'detach'>>,
  preparing: Promise<PreparedRun>,
): Promise<void> {
  const prepared = await unlessAborted(preparing, options.signal);
  for (const line of prepared.warnings) options.say(line);
  const metrics = await startMetricsServer(options.settings.metricsPort);
  try {
    await makeOutputFolder(options.settings.output);
    options.signal.throwIfAborted();
    if (!(await answerClosed(options, prepared))) await startPrepared(options, prepared, metrics.sdkAddress);
  } finally {
    await metrics.close();
  }
}

async function startPrepared(
  options: LaunchOptions<Pick<Settings, 'detach'>>,
  prepared: PreparedRun,
  metrics: string | null,
): Promise<void> {
  const { settings, stateDir, env, logger } = options;
  const session = await openSession({ stateDir, env, log: (line) => logger.info(line) });
  try {
    if (settings.detach) await requireWorker(session);
    const written = await writeRun(session.store, prepared.run, prepared.tasks);
    options.onReady(written);
    if (!settings.detach) return await attend(options, session, written, metrics);
    await session.runs.start(written.run.runId);
    await options.onEnd({ kind: 'detached', runId: written.run.runId });
  } finally {
    await session.close();
  }
}

/** Preparing writes nothing: whoever leaves need not wait for an endpoint that does not answer. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return await Promise.race([work, aborted]);
}

/** A finished run is answered from its store: that needs neither server nor worker. */
async function answerClosed(
  options: Pick<LaunchOptions, 'stateDir' | 'env' | 'onReady' | 'onEnd' | 'now'>,
  { run, tasks }: PreparedRun,
): Promise<boolean> {
  const store = await openStore(options.stateDir, options.env);
  if ((await readClosedRun(store, run.runId)) === null) return false;
  options.onReady(await writeRun(store, run, tasks));
  return await reportClosed(store, run.runId, options);
}

/** Reports a run that has ended; false when it is open. */
export async function reportClosed(
  store: ArtifactStore,
  runId: string,
  { onEnd }: Pick<AttendOptions, 'onEnd'>,
): Promise<boolean> {
  const closed = await readClosedRun(store, runId);
  if (closed === null) return false;
  const document = await withServing(store, await buildRunDocument(store, runId, closed.status));
  await onEnd({ kind: 'ended', end: closed.status, document, store });
  return true;
}

/** Works on a written run and watches it until it ends or the person leaves. */
export async function attend(
  options: AttendOptions,
  session: Session,
  { run, plan }: Pick<WrittenRun, 'run' | 'plan'>,
  metrics: string | null,
): Promise<void> {
  const { end, leave } = await followRun({ ...options, session, run, plan, metricsAddress: metrics });
  if (end === 'interrupted') {
    await leave();
    await options.onEnd({ kind: 'interrupted', runId: run.runId });
    return;
  }
  try {
    const document = await endDocument(session, run.runId, end);
    await options.onEnd({ kind: 'ended', end, document, store: session.store });
  } finally {
    await leave();
  }
}

async function requireWorker(session: Session): Promise<void> {
  if (await hasWorker(session)) return;
  throw new LongrunError('no_worker', 'The run was not started: no worker is running to take it.', {
    hint: 'Start one with: longrun up (in another terminal), or leave out --detach',
  });
}
