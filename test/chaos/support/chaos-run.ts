import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { AttemptKey, RolloutKey } from '../../../src/core/ids.js';
import type { RunConfig } from '../../../src/core/run/run-config.schema.js';
import { readClosedRun } from '../../../src/records/write-summary.js';
import { plannedRollouts, readPlan, readResult } from '../../../src/store/runs.js';
import { serverStatus } from '../../../src/temporal/embedded-server.js';
import type { Child } from '../../support/child.js';
import { removeContainersOf } from '../../support/docker-host.js';
import { LongrunHost } from '../../support/longrun-host.js';
import { MODEL_RUN } from '../../support/model-run.js';
import { type Answer, ModelServer, type SeenCall } from '../../support/model-server.js';
import { until } from '../../support/until.js';
import { chaosAnswer, chaosTasks, MAX_TURNS } from './chaos-tasks.js';
import { type ChaosWorkerSettings, startChaosWorker } from './chaos-worker.js';
import { HeldCalls } from './held-calls.js';
import { hostOf } from './hosts.js';
import { childrenOf, type ProcessMark } from './processes.js';

export interface ChaosOptions {
  runId: string;
  sandbox?: RunConfig['sandbox'];
  /** Of each of the four tasks. */
  samples?: number;
  config?: Partial<RunConfig>;
  /** Puts a fault in place of the model's usual answer. */
  script?: (call: SeenCall, usual: Answer) => Answer;
  /** Sandboxes that a worker holds at once. */
  capacity?: number;
}

export interface UnderWay {
  /** Rollouts that have ended by then. */
  sealed?: number;
  /** Rollouts in the middle of their work, which the fault is sure to strike. */
  held?: number;
  /** The host of those; else any. */
  on?: string;
}

const END_LIMIT_MS = 240_000;

/** A run of 24 rollouts, planned in a state folder with an own server, and the worker processes that do it. */
export class ChaosRun {
  readonly workers: Child[] = [];
  /** Processes that workers started on this machine (bubblewrap): none may outlive the run. */
  readonly offspring: ProcessMark[] = [];

  private constructor(
    readonly runId: string,
    readonly host: LongrunHost,
    readonly endpoint: ModelServer,
    readonly capacity: number,
    /** Where the workers' temporary files go: none may be left. */
    readonly temporaryFolder: string,
    private readonly heldCalls: HeldCalls,
  ) {}

  /** Outside of a test, whoever makes it stops it. */
  static async make(options: ChaosOptions): Promise<ChaosRun> {
    const { runId, sandbox = 'docker', samples = 6, capacity = 8, script, config } = options;
    const heldCalls = new HeldCalls(runId);
    const endpoint = await ModelServer.start((call) => {
      const usual = chaosAnswer(call);
      return heldCalls.answer(call, script?.(call, usual) ?? usual);
    });
    const host = await LongrunHost.start();
    const folder = await mkdtemp(join(tmpdir(), 'longrun-chaos-'));
    const chaos = new ChaosRun(runId, host, endpoint, capacity, folder, heldCalls);
    await host.plan(runId, await chaosTasks(sandbox), {
      ...MODEL_RUN,
      sandbox,
      samples,
      concurrency: capacity,
      maxTurns: MAX_TURNS,
      baseUrl: endpoint.baseUrl,
      ...config,
    });
    return chaos;
  }

  /** For the running test, stopped when it ends; a concurrent test says by its own context when that is. */
  static async start(
    options: ChaosOptions,
    whenFinished: (work: () => Promise<void>) => void = onTestFinished,
  ): Promise<ChaosRun> {
    const chaos = await ChaosRun.make(options);
    whenFinished(() => chaos.stop());
    return chaos;
  }

  get store() {
    return this.host.store;
  }

  /** Another worker process; answers when it works. */
  async startWorker(settings: Partial<ChaosWorkerSettings> = {}, script?: URL): Promise<Child> {
    const { stateDir } = this.host;
    const worker = await startChaosWorker(
      { stateDir, capacity: this.capacity, ...settings },
      this.temporaryFolder,
      script,
    );
    this.workers.push(worker);
    return worker;
  }

  /** SIGKILL, with its children noted first. */
  async killWorker(worker: Child): Promise<void> {
    this.offspring.push(...childrenOf(worker.pid));
    await worker.kill('SIGKILL');
  }

  /** The embedded server's process id. */
  get serverPid(): number {
    const { pid } = serverStatus(this.host.stateDir);
    if (pid === null) throw new Error('the Temporal server does not run');
    return pid;
  }

  begin(): Promise<void> {
    return this.host.runs.start(this.runId);
  }

  async rollouts(): Promise<RolloutKey[]> {
    return [...plannedRollouts(this.runId, await readPlan(this.store, this.runId))];
  }

  async sealed(): Promise<number> {
    const results = await Promise.all((await this.rollouts()).map((key) => readResult(this.store, key)));
    return results.filter((result) => result !== null).length;
  }

  /**
   * Waits until the run is well under way: some rollouts are sealed, some are in the middle of their work, and these
   * stay there until `letGo`, whatever else goes on. Answers the latter.
   */
  async underWay({ sealed = 2, held = 3, on }: UnderWay = {}): Promise<readonly AttemptKey[]> {
    const limitMs = 120_000;
    await until(async () => (await this.sealed()) >= sealed, {
      limitMs,
      what: `${sealed} rollouts are sealed`,
    });
    const isMeant = async (key: AttemptKey) => on === undefined || (await hostOf(this, key)) === on;
    this.heldCalls.hold({ least: held, isMeant });
    const { attempts } = this.heldCalls;
    await until(() => attempts.length >= held, { limitMs, what: `${held} rollouts are at work` });
    return attempts;
  }

  /** The fault has struck: those that were held in the middle of their work go on. */
  letGo(): void {
    this.heldCalls.letGo();
  }

  /** Waits for the run's end by the store alone: no server is asked. */
  async finished(limitMs = END_LIMIT_MS): Promise<void> {
    const what = `run ${this.runId} has ended`;
    try {
      await until(async () => (await readClosedRun(this.store, this.runId)) !== null, { limitMs, what });
    } catch (error) {
      throw new Error(`${(error as Error).message}; ${await this.describe()}`);
    }
  }

  /** What is still open, for a failure's message. */
  private async describe(): Promise<string> {
    const open: string[] = [];
    for (const key of await this.rollouts())
      if ((await readResult(this.store, key)) === null) open.push(`${key.taskId}/${key.sample}`);
    const workers = this.workers.map(
      ({ pid, process }) => `${pid} ${process.signalCode ?? process.exitCode ?? 'lives'}`,
    );
    return `open: ${open.join(' ') || 'none'}; workers: ${workers.join(', ')}; requests: ${this.endpoint.seen.length}`;
  }

  /** Everything that it started goes, whatever of that fails. */
  async stop(): Promise<void> {
    const work = [
      () => Promise.all(this.workers.map((worker) => worker.kill('SIGKILL'))),
      () => this.endpoint.close(),
      () => removeContainersOf(this.store),
      () => this.host.stop(),
      () => rm(this.temporaryFolder, { recursive: true, force: true }),
    ];
    const errors: unknown[] = [];
    for (const step of work) await step().catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  }
}
