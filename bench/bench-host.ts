import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { type Settings, settingsSchema } from '../src/config/settings.schema.js';
import { prepareRun } from '../src/runs/prepare-run.js';
import { openSession, type Session } from '../src/runs/session.js';
import { writeRun } from '../src/runs/write-run.js';
import { readPlan, readResults } from '../src/store/runs.js';
import { serverStatus, stopServer } from '../src/temporal/embedded-server.js';
import { type HostWorker, startHostWorker } from '../src/worker/index.js';
import { IMAGE } from './bare-engine.js';
import { writeTasks } from './task-folder.js';

const RUN_LIMIT_MS = 30 * 60 * 1000;

/** A state folder with an embedded server on disk and, when asked for, a host worker in this process. */
export class BenchHost {
  private worker: HostWorker | null = null;
  private runs = 0;

  private constructor(
    readonly session: Session,
    private readonly folder: string,
  ) {}

  static async open(): Promise<BenchHost> {
    const folder = await mkdtemp(join(tmpdir(), 'longrun-bench-'));
    const session = await openSession({ stateDir: join(folder, 'state'), env: benchEnv() });
    return new BenchHost(session, folder);
  }

  /** The embedded server's process. */
  get serverPid(): number {
    const { pid } = serverStatus(this.session.stateDir);
    if (pid === null) throw new Error('the server does not run');
    return pid;
  }

  async startWorker(concurrency: number): Promise<void> {
    const { stateDir, store, cluster, client } = this.session;
    const logger = pino({ level: process.env.LONGRUN_LOG_LEVEL ?? 'silent' });
    this.worker = await startHostWorker({ stateDir, store, cluster, client, logger, concurrency });
  }

  /** Prepares and writes a run of the benched task, or of copies of it, as a launch does; answers its id. */
  async plan(wanted: Partial<Settings>, tasks = 1): Promise<string> {
    this.runs += 1;
    const runId = `bench-${this.runs}`;
    const image = wanted.sandbox === 'docker' ? IMAGE : 'host';
    const settings = settingsSchema.parse({
      environment: await writeTasks(join(this.folder, runId), image, tasks),
      runId,
      seed: 1,
      ...wanted,
    });
    const prepared = await prepareRun({ settings, env: benchEnv(), longrunVersion: 'bench', now: Date.now });
    await writeRun(this.session.store, prepared.run, prepared.tasks);
    return runId;
  }

  /** Runs a planned run to its end; answers its wall time in milliseconds. Throws unless every rollout was scored. */
  async finish(runId: string): Promise<number> {
    const begun = performance.now();
    await this.session.runs.start(runId);
    await this.session.runs.wait(runId, AbortSignal.timeout(RUN_LIMIT_MS));
    const ms = performance.now() - begun;
    const results = await readResults(this.session.store, runId, await readPlan(this.session.store, runId));
    const bad = results.find((result) => result.reward !== 1);
    if (bad) throw new Error(`${bad.rolloutId} was not solved: ${bad.stopReason} ${bad.failure?.message}`);
    return ms;
  }

  async close(): Promise<void> {
    await this.worker?.shutdown();
    await this.session.close();
    await this.removeFolder();
  }

  /** Leaves what is in flight: the server is stopped under it, the process is expected to exit. */
  async abandon(): Promise<void> {
    await stopServer(this.session.stateDir);
    await this.removeFolder();
  }

  private async removeFolder(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The benched server is the embedded one, whatever the user's settings say. */
export function benchEnv(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TEMPORAL_')));
}
