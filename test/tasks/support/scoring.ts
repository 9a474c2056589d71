import type { BlobRef, SandboxSpec, Task } from '../../../src/core/rollout/task.schema.js';
import { runExec } from '../../../src/sandbox/run-exec.js';
import type { ExecRequest, ExecResult, Sandbox, SandboxDriver } from '../../../src/sandbox/sandbox.js';
import type { LoadedTask } from '../../../src/tasks/environment.js';
import type { RewardContext } from '../../../src/tasks/reward-context.js';

const NEVER = new AbortController().signal;

/** What the worker does around a verification, in one process and without a store: for tests only. */
export class ScoringContext implements RewardContext {
  readonly agentActed = true;
  readonly signal = NEVER;
  readonly now = Date.now;
  timeoutMultiplier = 1;
  /** Names of the commands that ran, in order. */
  readonly ran: string[] = [];
  /** Called before an effect; throws to play an executor that dies or is fenced there. */
  onGuard: () => void = () => undefined;
  private readonly kept = new Map<string, Uint8Array>();
  private readonly results = new Map<string, ExecResult>();
  private separate: Sandbox | null = null;

  constructor(
    readonly agentSandbox: Sandbox,
    private readonly loaded: LoadedTask,
    private readonly makeSandbox: (spec: SandboxSpec) => Promise<Sandbox>,
  ) {}

  async guard(): Promise<void> {
    this.onGuard();
  }

  async run(sandbox: Sandbox, name: string, request: ExecRequest): Promise<ExecResult> {
    const known = this.results.get(name);
    if (known) return known;
    await this.guard();
    const result = await runExec(sandbox, request, NEVER);
    this.ran.push(name);
    this.results.set(name, result);
    return result;
  }

  async once(name: string, compute: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const value = this.kept.get(name) ?? (await compute());
    this.kept.set(name, value);
    return value;
  }

  async separateSandbox(spec: SandboxSpec | null): Promise<Sandbox> {
    if (this.separate === null) {
      await this.agentSandbox.destroy();
      this.separate = await this.makeSandbox(spec ?? this.loaded.task.metadata.sandbox);
    }
    return this.separate;
  }

  loadBlob(ref: BlobRef): Promise<Uint8Array> {
    return blobOf(this.loaded, ref);
  }
}

export function blobOf(loaded: LoadedTask, ref: BlobRef): Promise<Uint8Array> {
  const load = loaded.blobs.get(ref.sha256);
  if (load === undefined) throw new Error(`the task has no blob ${ref.sha256}`);
  return load();
}

/** Sandboxes for one test file; all are removed by `close`. */
export class ScoringBench {
  private readonly made: Sandbox[] = [];
  private readonly id = `scoring-${process.pid}-${Date.now()}`;

  constructor(private readonly driver: SandboxDriver) {}

  async close(): Promise<void> {
    await Promise.all(this.made.map((sandbox) => sandbox.destroy()));
    await this.driver.close();
  }

  /** A fresh sandbox of the task, as an agent gets it, and the context that scores it. */
  async begin(loaded: LoadedTask): Promise<{ context: ScoringContext; sandbox: Sandbox; task: Task }> {
    const sandbox = await this.make(loaded, loaded.task.metadata.sandbox);
    const context = new ScoringContext(sandbox, loaded, (spec) => this.make(loaded, spec));
    return { context, sandbox, task: loaded.task };
  }

  private async make(loaded: LoadedTask, spec: SandboxSpec): Promise<Sandbox> {
    const { image } = spec;
    const load = () =>
      image.kind === 'dockerfile' ? blobOf(loaded, image.context) : Promise.resolve(new Uint8Array());
    const name = await this.driver.prepareImage(image, load, NEVER);
    const owner = {
      clusterId: this.id,
      namespace: 'default',
      hostId: 'host',
      runId: 'scoring',
      taskId: loaded.task.taskId,
      sample: 0,
      attempt: 1,
      role: 'agent' as const,
    };
    const sandbox = await this.driver.create({ image: name, spec, owner }, NEVER);
    this.made.push(sandbox);
    return sandbox;
  }
}

/** Runs a script as the agent would. */
export async function act(sandbox: Sandbox, script: string, user: string | null = null): Promise<string> {
  const request = {
    script,
    cwd: null,
    env: {},
    user,
    timeoutMs: 20_000,
    outputLimitBytes: 65_536,
    stdin: null,
  };
  const result = await runExec(sandbox, request, NEVER);
  return Buffer.from(result.output.head).toString('utf8');
}

/** Puts the solution of a step in and runs it, as the oracle does. */
export async function solve(sandbox: Sandbox, loaded: LoadedTask, step: number): Promise<void> {
  const { solution } = loaded.task.evalCriteria.steps[step] as Task['evalCriteria']['steps'][number];
  if (solution === null) throw new Error('the task has no solution');
  await sandbox.putArchive('/solution', await blobOf(loaded, solution));
  await act(sandbox, 'sh /solution/solve.sh');
}
