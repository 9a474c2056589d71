import { randomBytes } from 'node:crypto';
import type { ImageSource, SandboxSpec } from '../../../src/core/rollout/task.schema.js';
import type {
  ExecRequest,
  ExecResult,
  Sandbox,
  SandboxDriver,
  SandboxOwner,
} from '../../../src/sandbox/sandbox.js';

export const NEVER = new AbortController().signal;

const noContext = (): Promise<Uint8Array> => Promise.reject(new Error('this image has no build context'));

/** Makes sandboxes for one suite and removes all of them at its end. */
export class SandboxKit {
  readonly clusterId = `conformance-${randomBytes(6).toString('hex')}`;
  #driver: SandboxDriver | null = null;
  #image = '';
  #shared: Promise<Sandbox> | null = null;
  readonly #made: Sandbox[] = [];

  constructor(
    readonly makeDriver: () => SandboxDriver,
    readonly source: ImageSource,
  ) {}

  async open(): Promise<void> {
    this.#driver = this.makeDriver();
    const found = await this.#driver.probe();
    if (!found.available) throw new Error(`${found.reason} (${found.hint})`);
    this.#image = await this.#driver.prepareImage(this.source, noContext, NEVER);
  }

  async close(): Promise<void> {
    await Promise.all(this.#made.map((sandbox) => sandbox.destroy()));
    await this.#driver?.close();
  }

  get driver(): SandboxDriver {
    if (this.#driver === null) throw new Error('the kit is not open');
    return this.#driver;
  }

  owner(overrides: Partial<SandboxOwner> = {}): SandboxOwner {
    return {
      clusterId: this.clusterId,
      namespace: 'default',
      hostId: 'host-a',
      runId: 'run-1',
      taskId: 'task.with_odd-Name',
      sample: 3,
      attempt: 2,
      role: 'agent',
      ...overrides,
    };
  }

  /** A sandbox of its own, for tests that harm it. */
  async fresh(
    spec: Partial<SandboxSpec> = {},
    owner: Partial<SandboxOwner> = {},
    driver = this.driver,
  ): Promise<Sandbox> {
    const sandbox = await driver.create(
      { image: this.#image, spec: { ...this.defaultSpec(), ...spec }, owner: this.owner(owner) },
      NEVER,
    );
    this.#made.push(sandbox);
    return sandbox;
  }

  /** One sandbox for all tests that leave it as it was. */
  shared(): Promise<Sandbox> {
    this.#shared ??= this.fresh();
    return this.#shared;
  }

  private defaultSpec(): SandboxSpec {
    return {
      image: this.source,
      cpus: null,
      memoryMb: null,
      storageMb: null,
      network: 'none',
      env: {},
      workdir: null,
      healthcheck: null,
    };
  }
}

/** A request with the defaults of a tool call. */
export function request(script: string, overrides: Partial<ExecRequest> = {}): ExecRequest {
  return {
    script,
    cwd: null,
    env: {},
    user: null,
    timeoutMs: 30_000,
    outputLimitBytes: 100_000,
    stdin: null,
    ...overrides,
  };
}

/** Runs a command as a tool call does: create, start, await. */
export async function run(
  sandbox: Sandbox,
  script: string,
  overrides: Partial<ExecRequest> = {},
): Promise<ExecResult> {
  const asked = request(script, overrides);
  const handle = await sandbox.createExec(asked);
  await sandbox.startExec(handle, asked);
  return sandbox.awaitExec(handle, asked, NEVER);
}

export const bytesOf = (result: ExecResult): Buffer =>
  Buffer.concat([result.output.head, result.output.tail]);
export const textOf = (result: ExecResult): string => bytesOf(result).toString('utf8');

/** Asks until the answer is yes or the time is up; for things that the system does on its own. */
export async function eventually(ask: () => Promise<boolean>, withinMs = 10_000): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  while (Date.now() < deadline) {
    if (await ask()) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return ask();
}
