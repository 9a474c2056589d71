import { randomUUID } from 'node:crypto';
import { resolveEnvironment } from '../../environments/resolve-environment.js';
import type { BlobRef, SandboxSpec } from '../../src/core/rollout/task.schema.js';
import { DockerDriver } from '../../src/sandbox/docker/index.js';
import { runExec } from '../../src/sandbox/run-exec.js';
import type { ExecRequest, Sandbox, SandboxDriver } from '../../src/sandbox/sandbox.js';
import type { Verdict } from '../../src/store/records/records.schema.js';
import type { Environment, LoadedTask } from '../../src/tasks/environment.js';
import type { RewardContext } from '../../src/tasks/reward-context.js';

export type Agent = (sandbox: Sandbox, loaded: LoadedTask) => Promise<void>;

/** Runs an agent on a task of `tblite` in a real container and scores it as a rollout would. */
export class TbliteBench {
  private readonly clusterId = `test-${randomUUID()}`;
  private readonly signal = AbortSignal.timeout(280_000);

  private constructor(
    private readonly driver: SandboxDriver,
    private readonly environment: Environment,
    private readonly tasks: ReadonlyMap<string, LoadedTask>,
  ) {}

  static async open(driver: SandboxDriver = new DockerDriver()): Promise<TbliteBench> {
    const environment = await resolveEnvironment('tblite');
    const tasks = new Map<string, LoadedTask>();
    for await (const loaded of environment.items(null)) tasks.set(loaded.task.taskId, loaded);
    return new TbliteBench(driver, environment, tasks);
  }

  get taskIds(): string[] {
    return [...this.tasks.keys()];
  }

  async score(taskId: string, agent: Agent): Promise<Verdict> {
    const loaded = this.task(taskId);
    const sandbox = await this.create(loaded, this.environment.sandbox(loaded.task), 'agent');
    const sandboxes = [sandbox];
    try {
      await agent(sandbox, loaded);
      return await this.environment.computeReward(loaded.task, 0, this.context(loaded, sandboxes));
    } finally {
      await Promise.all(sandboxes.map((each) => each.destroy()));
    }
  }

  /** The one task whose instruction holds the phrase. */
  recognised(phrase: string): string {
    const found = [...this.tasks.values()].filter(({ task }) =>
      this.environment.formatPrompt(task, 0).includes(phrase),
    );
    if (found.length !== 1) throw new Error(`${found.length} tasks say "${phrase}"`);
    return found[0]?.task.taskId ?? '';
  }

  async close(): Promise<void> {
    const left = await this.driver.list(this.clusterId);
    for (const { ref } of left) await (await this.driver.adopt(ref))?.destroy();
    await this.driver.close();
  }

  private task(taskId: string): LoadedTask {
    const loaded = this.tasks.get(taskId);
    if (!loaded) throw new Error(`tblite has no task ${taskId}`);
    return loaded;
  }

  private async create(loaded: LoadedTask, spec: SandboxSpec, role: 'agent' | 'verifier'): Promise<Sandbox> {
    const { image } = spec;
    const context = () => bytesOf(loaded, image.kind === 'dockerfile' ? image.context : null);
    const name = await this.driver.prepareImage(image, context, this.signal);
    const owner = {
      clusterId: this.clusterId,
      namespace: 'test',
      hostId: 'test',
      runId: randomUUID(),
      taskId: loaded.task.taskId,
      sample: 0,
      attempt: 0,
      role,
    };
    return this.driver.create({ image: name, spec, owner }, this.signal);
  }

  private context(loaded: LoadedTask, sandboxes: Sandbox[]): RewardContext {
    return {
      agentActed: true,
      agentSandbox: sandboxes[0] as Sandbox,
      separateSandbox: async (spec) => {
        await sandboxes[0]?.destroy();
        const sandbox = await this.create(loaded, spec ?? this.environment.sandbox(loaded.task), 'verifier');
        sandboxes.push(sandbox);
        return sandbox;
      },
      run: (sandbox, _name, request) => runExec(sandbox, request, this.signal),
      guard: async () => {},
      loadBlob: (ref) => bytesOf(loaded, ref),
      once: (_name, compute) => compute(),
      timeoutMultiplier: 1,
      signal: this.signal,
      now: Date.now,
    };
  }
}

async function bytesOf(loaded: LoadedTask, ref: BlobRef | null): Promise<Uint8Array> {
  const blob = ref && loaded.blobs.get(ref.sha256);
  if (!blob) throw new Error(`${loaded.task.taskId} names bytes that it does not bring`);
  return blob();
}

/** A command of an agent, with the text of its output. */
export async function execute(
  sandbox: Sandbox,
  script: string,
  stdin: string | null = null,
): Promise<string> {
  const request: ExecRequest = {
    script,
    cwd: null,
    env: {},
    user: null,
    timeoutMs: 60_000,
    outputLimitBytes: 20_000,
    stdin: stdin === null ? null : Buffer.from(stdin),
  };
  const { output } = await runExec(sandbox, request, AbortSignal.timeout(90_000));
  return Buffer.concat([output.head, output.tail]).toString('utf8');
}

/** The solution that comes with the task. */
export const oracle: Agent = async (sandbox, loaded) => {
  const solution = loaded.task.evalCriteria.steps[0]?.solution ?? null;
  await sandbox.putArchive('/solution', await bytesOf(loaded, solution));
  await execute(sandbox, 'bash /solution/solve.sh');
};

export const nop: Agent = async () => {};

/** An answer given as a script. */
export const answering =
  (script: string): Agent =>
  async (sandbox) => {
    await execute(sandbox, 'cat > /tmp/answer.sh && bash /tmp/answer.sh', script);
  };
