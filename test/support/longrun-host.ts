import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { pino } from 'pino';
import type { RunConfig } from '../../src/core/run/run-config.schema.js';
import { buildRunDocument } from '../../src/records/document.js';
import type { RunDocument } from '../../src/records/summary.js';
import { openStore } from '../../src/store/index.js';
import type { ArtifactStore } from '../../src/store/store.js';
import type { LoadedTask } from '../../src/tasks/environment.js';
import { type Cluster, connectClient, resolveCluster } from '../../src/temporal/connect.js';
import type { RunClient } from '../../src/temporal/run-client.js';
import { serverFolder } from '../../src/temporal/server-folder.js';
import { createRunClient } from '../../src/temporal/temporal-run-client.js';
import { type HostWorker, type HostWorkerOptions, startHostWorker } from '../../src/worker/index.js';
import { planRun } from './plan-run.js';

/** A state folder with a real Temporal server of its own, and host workers when asked for. */
export class LongrunHost {
  /** The newest one. */
  worker: HostWorker | null = null;
  private readonly workers: HostWorker[] = [];
  cluster!: Cluster;
  client!: Client;
  runs!: RunClient;
  private closeClient!: () => Promise<void>;

  private constructor(
    readonly stateDir: string,
    readonly store: ArtifactStore,
  ) {}

  static async start(): Promise<LongrunHost> {
    const stateDir = await mkdtemp(join(tmpdir(), 'longrun-host-'));
    const host = new LongrunHost(stateDir, await openStore(stateDir));
    await host.join();
    return host;
  }

  private async join(): Promise<void> {
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !name.startsWith('TEMPORAL_')),
    );
    this.cluster = await resolveCluster({ stateDir: this.stateDir, env });
    const { client, close } = await connectClient(this.cluster);
    this.client = client;
    this.closeClient = close;
    this.runs = createRunClient(client, this.store);
  }

  /** Stops the worker and the server, deletes the server's database and starts the server without it. */
  async loseDatabase(): Promise<void> {
    await this.leave();
    const { path } = serverFolder(this.stateDir);
    const databases = (await readdir(path)).filter((name) => name.includes('.db'));
    if (databases.length === 0) throw new Error(`there is no database in ${path}`);
    for (const name of databases) await rm(join(path, name));
    await this.join();
  }

  async startWorker(options: Partial<HostWorkerOptions> = {}): Promise<HostWorker> {
    const { stateDir, store, cluster, client } = this;
    const logger = pino({ level: process.env.LONGRUN_LOG_LEVEL ?? 'silent' });
    this.worker = await startHostWorker({ stateDir, store, cluster, client, logger, ...options });
    this.workers.push(this.worker);
    return this.worker;
  }

  /** Writes a run into the store, as the launch does, without starting it. */
  plan(runId: string, tasks: LoadedTask[], config: Partial<RunConfig> = {}): Promise<void> {
    return planRun(this.store, runId, tasks, config);
  }

  /** Starts a planned run and waits for its end. */
  async finish(runId: string): Promise<RunDocument> {
    await this.runs.start(runId);
    const status = await this.runs.wait(runId, AbortSignal.timeout(120_000));
    return buildRunDocument(this.store, runId, status);
  }

  /** What the store says of a run now. */
  document(runId: string): Promise<RunDocument> {
    return buildRunDocument(this.store, runId, 'running');
  }

  private async leave(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.shutdown()));
    await this.closeClient();
    await this.cluster.detach();
  }

  async stop(): Promise<void> {
    await this.leave();
    await rm(this.stateDir, { recursive: true, force: true });
  }
}
