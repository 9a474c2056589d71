import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RolloutKey } from '../../../src/core/ids.js';
import { readClosedRun } from '../../../src/records/write-summary.js';
import { type ArtifactStore, openStore } from '../../../src/store/index.js';
import { plannedRollouts, readPlan, readResult } from '../../../src/store/runs.js';
import { chaosAnswer } from '../../chaos/support/chaos-tasks.js';
import { childrenOf, type ProcessMark } from '../../chaos/support/processes.js';
import { asChild, type Child } from '../../support/child.js';
import { removeContainersOf } from '../../support/docker-host.js';
import { ModelServer } from '../../support/model-server.js';
import { Postgres } from '../../support/postgres.js';
import { borrowEnv, S3Server } from '../../support/s3-server.js';
import { until } from '../../support/until.js';
import { NAMESPACE, ProductionServer } from './production-server.js';

const MAIN = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));
const END_LIMIT_MS = 240_000;

/** The distributed set-up from its own programs: PostgreSQL, Temporal, an S3 server, hosts, and a client. */
export class Topology {
  readonly workers: Child[] = [];
  readonly offspring: ProcessMark[] = [];
  store!: ArtifactStore;
  private giveBack: () => void = () => undefined;

  private constructor(
    readonly runId: string,
    private readonly folder: string,
    readonly temporaryFolder: string,
    readonly postgres: Postgres,
    readonly server: ProductionServer,
    readonly s3: S3Server,
    readonly endpoint: ModelServer,
  ) {}

  static async start(runId: string): Promise<Topology> {
    const folder = await mkdtemp(join(tmpdir(), 'longrun-topology-'));
    const temporaryFolder = join(folder, 'tmp');
    await mkdir(temporaryFolder);
    const [postgres, s3, endpoint] = await Promise.all([
      Postgres.start('temporal'),
      S3Server.start(),
      ModelServer.start(chaosAnswer),
    ]);
    const server = await ProductionServer.start(postgres.port).catch(async (error: unknown) => {
      await Promise.all([postgres.stop(), s3.stop(), endpoint.close()]);
      throw error;
    });
    const topology = new Topology(runId, folder, temporaryFolder, postgres, server, s3, endpoint);
    topology.giveBack = borrowEnv(s3.env);
    topology.store = await openStore(join(folder, 'observer'), { LONGRUN_STORE: s3.url('lab') });
    return topology;
  }

  /** A machine of its own: it shares nothing with the others but Temporal and the bucket. */
  async startHost(hostId: string, ...flags: string[]): Promise<Child> {
    const worker = this.longrun(hostId, 'worker', '--host-id', hostId, '--capacity', '4', ...flags);
    this.workers.push(worker);
    await worker.line();
    return worker;
  }

  /** Runs a command to its end, on a machine that only asks; answers its standard output. */
  async client(...argv: string[]): Promise<string> {
    const command = this.longrun('client', ...argv);
    const lines: string[] = [];
    for (;;) {
      const line = await command.line().catch(() => null);
      if (line === null) break;
      lines.push(line);
    }
    const code = await command.ended;
    if (code !== 0) throw new Error(`longrun ${argv.join(' ')} ended with ${code}`);
    return lines.join('\n');
  }

  /** The command line in a process of its own, `--json`, with what a deployment puts into its environment. */
  private longrun(machine: string, ...argv: string[]): Child {
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^(LONGRUN_|TEMPORAL_|OPENAI_)/.test(name),
    );
    const child = spawn(process.execPath, ['--import', 'tsx', MAIN, ...argv, '--json'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...Object.fromEntries(inherited),
        ...this.s3.env,
        TMPDIR: this.temporaryFolder,
        LONGRUN_HOME: join(this.folder, machine),
        // An outage is what the test is about: the SDK warns of every retry.
        LONGRUN_LOG_LEVEL: process.env.LONGRUN_LOG_LEVEL ?? 'error',
        LONGRUN_STORE: this.s3.url('lab'),
        TEMPORAL_ADDRESS: this.server.address,
        TEMPORAL_NAMESPACE: NAMESPACE,
        OPENAI_API_KEY: 'unused-key',
      },
    });
    return asChild(child, `longrun ${argv[0]}`);
  }

  async rollouts(): Promise<RolloutKey[]> {
    return [...plannedRollouts(this.runId, await readPlan(this.store, this.runId))];
  }

  async sealed(): Promise<number> {
    const results = await Promise.all((await this.rollouts()).map((key) => readResult(this.store, key)));
    return results.filter((result) => result !== null).length;
  }

  async untilSealed(count: number): Promise<void> {
    const what = `${count} rollouts are sealed`;
    await until(async () => (await this.sealed()) >= count, { limitMs: 120_000, what });
  }

  async finished(): Promise<void> {
    const closed = async () => (await readClosedRun(this.store, this.runId)) !== null;
    await until(closed, { limitMs: END_LIMIT_MS, what: `run ${this.runId} has ended` });
  }

  /** SIGKILL, with its children noted first. */
  async killHost(worker: Child): Promise<void> {
    this.offspring.push(...childrenOf(worker.pid));
    await worker.kill('SIGKILL');
  }

  async stop(): Promise<void> {
    for (const worker of this.workers) await worker.kill('SIGKILL');
    await removeContainersOf(this.store);
    this.giveBack();
    await Promise.all([this.server.stop(), this.s3.stop(), this.endpoint.close()]);
    await this.postgres.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}
