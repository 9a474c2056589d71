import type Dockerode from 'dockerode';
import { LongrunError } from '../../core/errors.js';
import type {
  ChangedPath,
  ExecHandle,
  ExecRequest,
  ExecResult,
  Sandbox,
  SandboxRef,
  SandboxSnapshot,
  SandboxState,
} from '../sandbox.js';
import { changedPaths, getArchive, putArchive } from './archives.js';
import { commitContainer } from './commit-container.js';
import { containerState } from './container-state.js';
import type { DiskWatchdog } from './disk-watchdog.js';
import { asking } from './engine-error.js';
import { ExecJournal } from './exec-journal.js';
import { diskLimitedResult } from './exec-result.js';
import { ExecRunner } from './exec-runner.js';
import { tellingWhyGone } from './gone.js';
import type { PublicNetwork } from './network/public-network.js';
import { removeContainer } from './remove-container.js';

/** How a sandbox stands to the network. */
export interface SandboxConnection {
  /** Null for one that has none. */
  network: PublicNetwork | null;
  /** False where whoever connected it last did not come to the end. */
  complete: boolean;
}

/** One container. Holds nothing that another process could not find again by the container's id. */
export class DockerSandbox implements Sandbox {
  private readonly container: Dockerode.Container;
  private readonly journal: ExecJournal;
  private readonly runner: ExecRunner;

  constructor(
    private readonly docker: Dockerode,
    readonly ref: SandboxRef,
    private readonly defaults: { user: string; workdir: string },
    private readonly watchdog: DiskWatchdog,
    private readonly connection: SandboxConnection,
  ) {
    this.container = docker.getContainer(ref.id);
    this.journal = new ExecJournal(docker, ref.id, defaults);
    this.runner = new ExecRunner(this.journal, () => this.state());
  }

  get workdir(): string {
    return this.defaults.workdir;
  }

  get user(): string {
    return this.defaults.user;
  }

  createExec(request: ExecRequest): Promise<ExecHandle> {
    return this.telling(async () => {
      if (!this.connection.complete) await this.reconnect();
      return this.journal.create(request);
    });
  }

  async execStarted(handle: ExecHandle): Promise<boolean> {
    const facts = await this.journal.inspect(handle);
    return facts === null || facts.started;
  }

  startExec(handle: ExecHandle, request: ExecRequest): Promise<void> {
    return this.telling(() => this.runner.start(handle, request));
  }

  async awaitExec(handle: ExecHandle, request: ExecRequest, signal: AbortSignal): Promise<ExecResult> {
    const since = performance.now();
    const result = await this.telling(() => this.runner.await(handle, request, signal));
    const limitBytes = this.watchdog.exceededSince(this.ref.id, since);
    return limitBytes === null ? result : diskLimitedResult(result, limitBytes);
  }

  async killExec(handle: ExecHandle): Promise<void> {
    try {
      const facts = await this.journal.inspect(handle);
      if (facts?.running === true) await this.runner.kill(handle, 0, 'request');
    } catch (error) {
      if (!LongrunError.is(error, 'sandbox_gone')) throw error;
    }
  }

  putArchive(directory: string, tar: Uint8Array): Promise<void> {
    return this.telling(() => putArchive(this.container, directory, tar));
  }

  getArchive(path: string, limitBytes: number): Promise<Uint8Array | null> {
    return this.telling(() => getArchive(this.container, path, limitBytes));
  }

  changedPaths(): Promise<ChangedPath[]> {
    return this.telling(() => changedPaths(this.container));
  }

  state(): Promise<SandboxState> {
    return containerState(this.docker, this.ref.id);
  }

  snapshot(): Promise<SandboxSnapshot> {
    return this.telling(() => commitContainer(this.docker, this.container));
  }

  async restart(): Promise<void> {
    await this.telling(() =>
      this.reconnect(() => asking('restarting a container', () => this.container.restart({ t: 0 }))),
    );
  }

  async destroy(): Promise<void> {
    this.watchdog.forget(this.ref.id);
    await removeContainer(this.container);
  }

  /** Without a whole connection nothing runs: tests without their network would be a false score. */
  private async reconnect(restart: () => Promise<unknown> = async () => undefined): Promise<void> {
    const { network } = this.connection;
    if (network === null) return void (await restart());
    this.connection.complete = false;
    await network.reopen(this.container, restart);
    this.connection.complete = true;
  }

  private telling<T>(call: () => Promise<T>): Promise<T> {
    return tellingWhyGone(() => this.state(), call);
  }
}
