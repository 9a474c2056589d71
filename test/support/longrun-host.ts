import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { pino } from 'pino';
import type { RunConfig } from '../../src/core/run-config.schema.js';
import { buildRunDocument } from '../../src/report/document.js';
import type { RunDocument } from '../../src/report/summary.js';
import { openStore } from '../../src/store/index.js';
import type { ArtifactStore } from '../../src/store/store.js';
import type { LoadedTask } from '../../src/tasks/environment.js';
import { type Cluster, connectClient, resolveCluster } from '../../src/temporal/connect.js';
import type { RunClient } from '../../src/temporal/run-client.js';
import { createRunClient } from '../../src/temporal/temporal-run-client.js';
import { type HostWorker, startHostWorker } from '../../src/worker/index.js';
import { planRun } from './plan-run.js';

/** A state folder with a real Temporal server of its own, and a host worker when asked for. */
export class LongrunHost {
  worker: HostWorker | null = null;
  private constructor(
    readonly stateDir: string,
    readonly store: ArtifactStore,
    readonly cluster: Cluster,
    readonly client: Client,
    readonly runs: RunClient,
    private readonly closeClient: () => Promise<void>,
  ) {}

  static async start(): Promise<LongrunHost> {
    const stateDir = await mkdtemp(join(tmpdir(), 'longrun-host-'));
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !name.startsWith('TEMPORAL_')),
    );
    const cluster = await resolveCluster({ stateDir, env });
    const { client, close } = await connectClient(cluster);
    const store = await openStore(stateDir);
    return new LongrunHost(stateDir, store, cluster, client, createRunClient(client, store), close);
  }

  async startWorker(options: { sliceMs?: number; concurrency?: number } = {}): Promise<HostWorker> {
    const { stateDir, store, cluster, client } = this;
    const logger = pino({ level: process.env.LONGRUN_LOG_LEVEL ?? 'silent' });
    this.worker = await startHostWorker({ stateDir, store, cluster, client, logger, ...options });
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

  async stop(): Promise<void> {
    await this.worker?.shutdown();
    await this.closeClient();
    await this.cluster.detach();
    await rm(this.stateDir, { recursive: true, force: true });
  }
}
