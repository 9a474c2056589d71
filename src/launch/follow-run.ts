import type { Logger } from 'pino';
import { byteSize } from '../config/byte-size.js';
import { mergeWorkerSettings } from '../config/merge-settings.js';
import { SECOND_MS } from '../core/time.js';
import { HostKeeper } from '../hosts/host-keeper.js';
import { refuseWhereServed } from '../hosts/worker-presence.js';
import type { Session } from '../runs/session.js';
import { nameLostRuns } from '../runs/status/name-lost-runs.js';
import { RunTracker } from '../runs/status/run-tracker.js';
import type { RunView } from '../runs/status/run-view.js';
import { type RunEnd, watchRun } from '../runs/status/watch-run.js';
import type { Plan, RolloutResult, RunRecord } from '../store/records/records.schema.js';
import { serverStatus } from '../temporal/embedded-server.js';
import { RUN_WORKFLOWS } from '../temporal/run-workflow.js';

export interface FollowOptions {
  session: Session;
  run: RunRecord;
  plan: Plan;
  logger: Logger;
  /** `host:port` for Prometheus; null = none. */
  metricsAddress: string | null;
  /** Fires on the first Ctrl-C: pause the run, finish what is in the air, leave. */
  signal: AbortSignal;
  onUpdate(view: RunView, finished: readonly RolloutResult[]): void;
  note(text: string | null): void;
  /** A line that stays, whatever the view shows. */
  say(line: string): void;
  now: () => number;
}

const PAUSE_PATIENCE_MS = 5 * SECOND_MS;
const LINGER_POLL_MS = SECOND_MS;

/** How watching ended, and the way out. */
export interface Followed {
  end: RunEnd | 'interrupted';
  /** Leaves the worker: stays while other terminals rely on it, unless interrupted. */
  leave(): Promise<void>;
}

/**
 * Starts (or finds) a run's workflow, works on it where nobody else does, and watches it to its end.
 * When the signal fires the run is paused; everything finished is recorded.
 */
export async function followRun(options: FollowOptions): Promise<Followed> {
  const { session, run, plan, now, onUpdate } = options;
  const tracker = new RunTracker(session.store, run, plan, now);
  // What an earlier process finished is no news.
  await tracker.poll();
  onUpdate(tracker.view('starting'), []);
  const keeper = await beginHosting(options);
  try {
    const end = await startAndWatch(options, tracker);
    return {
      end,
      leave: async () => {
        if (end !== 'interrupted') await linger(options, keeper);
        await keeper.end();
      },
    };
  } catch (error) {
    await keeper.end();
    throw error;
  }
}

async function startAndWatch(options: FollowOptions, tracker: RunTracker): Promise<RunEnd | 'interrupted'> {
  const { session, run, signal } = options;
  try {
    await session.runs.start(run.runId);
    const progress = await session.runs.progress(run.runId);
    if (progress?.status === 'paused') await session.runs.resume(run.runId);
    signal.throwIfAborted();
    return await watchRun({
      ...options,
      tracker,
      runs: session.runs,
      wait: session.wait,
      stopped: session.stopped,
    });
  } catch (error) {
    if (!signal.aborted) throw error;
    options.note('Stopping: calls in the air are finished and recorded. Ctrl-C again leaves now.');
    await pauseForLater(options);
    return 'interrupted';
  }
}

type HostingOptions = Pick<FollowOptions, 'session' | 'run' | 'logger' | 'metricsAddress' | 'note' | 'say'>;

/** Works for the state folder where nobody else does, or waits to take over. */
export async function beginHosting({
  session,
  run,
  logger,
  metricsAddress,
  note,
  say,
}: HostingOptions): Promise<HostKeeper> {
  const { startHostWorker } = await import('../worker/index.js');
  const { stateDir, store, cluster, client } = session;
  const { concurrency } = run.config;
  const diskKeepFree = byteSize(mergeWorkerSettings({}, process.env).diskKeepFree);
  const keeper = new HostKeeper(
    async () => {
      refuseWhereServed(stateDir);
      return startHostWorker({
        stateDir,
        store,
        cluster,
        client,
        logger,
        concurrency,
        metricsAddress,
        diskKeepFree,
      });
    },
    (error) => logger.error({ err: error }, 'the host worker ended; trying again'),
  );
  await keeper.begin();
  if (keeper.hosting)
    await nameLostRuns(session, run.runId, say).catch((error: unknown) =>
      logger.debug({ err: error }, 'could not look for lost runs'),
    );
  else note('Another process works for this state folder; this one watches, and takes over if it ends.');
  return keeper;
}

/** The cluster may be gone: then there is nothing to pause, and the run is on disk all the same. */
async function pauseForLater({ session, run, logger }: FollowOptions): Promise<void> {
  const patience = new Promise<void>((resolve) => setTimeout(resolve, PAUSE_PATIENCE_MS).unref());
  await Promise.race([session.runs.pause(run.runId), patience]).catch((error: unknown) =>
    logger.warn({ err: error }, 'the run could not be paused'),
  );
}

/**
 * Other terminals may rely on the worker in this process. Sandboxes of some kinds die with it, so it
 * stays until their runs have ended; a Ctrl-C hands over at once.
 */
export async function linger(
  { session, signal, note, logger }: Pick<FollowOptions, 'session' | 'signal' | 'note' | 'logger'>,
  keeper: HostKeeper,
): Promise<void> {
  let told = false;
  while (keeper.hosting && !signal.aborted && serverStatus(session.stateDir).clients > 1) {
    const others = await runningRuns(session).catch((error: unknown) => {
      logger.debug({ err: error }, 'could not list running runs');
      return [];
    });
    if (others.length === 0) return;
    if (!told)
      note(`Still working for ${others.join(', ')} of another terminal; Ctrl-C hands the work over.`);
    told = true;
    await new Promise((resolve) => setTimeout(resolve, LINGER_POLL_MS));
  }
}

async function runningRuns(session: Session): Promise<string[]> {
  const running: string[] = [];
  const open = session.client.workflow.list({
    query: `WorkflowType IN (${RUN_WORKFLOWS}, 'replay') AND ExecutionStatus = 'Running'`,
  });
  for await (const { workflowId, type } of open) {
    if (type === 'replay') {
      running.push(workflowId);
      continue;
    }
    const runId = workflowId.replace(/^\w+\//, '');
    if ((await session.runs.progress(runId))?.status === 'running') running.push(runId);
  }
  return running;
}
