import { posix } from 'node:path';
import { LongrunError } from '../../core/errors.js';
import { ExecRegistry } from '../exec-registry.js';
import type {
  ChangedPath,
  CreateSandbox,
  ExecHandle,
  ExecRequest,
  ExecResult,
  Sandbox,
  SandboxInfo,
  SandboxRef,
  SandboxState,
} from '../sandbox.js';
import { readTar, type TarEntry, writeTar } from '../tar-entries.js';
import { loadJustBash } from './just-bash.js';
import { runScript } from './memory-exec.js';
import { type MemoryImage, unpackImage } from './memory-image.js';
import { readEntries, type SandboxFs, writeEntries } from './sandbox-fs.js';

/** One in-memory sandbox: a file system, made when first needed, and the commands run on it. */
export class MemorySandbox implements Sandbox {
  readonly user = 'root';
  private readonly execs: ExecRegistry;
  private files: Promise<SandboxFs> | null = null;
  private destroyed = false;

  constructor(
    readonly ref: SandboxRef,
    private readonly image: MemoryImage,
    private readonly request: CreateSandbox,
    private readonly createdAtMs: number,
    private readonly onDestroy: () => void,
  ) {
    this.execs = new ExecRegistry(ref.id);
  }

  get info(): SandboxInfo {
    return { ref: this.ref, owner: this.request.owner, createdAtMs: this.createdAtMs, running: true };
  }

  get workdir(): string {
    return this.request.spec.workdir ?? this.image.workdir;
  }

  async createExec(_request: ExecRequest): Promise<ExecHandle> {
    this.assertAlive();
    return this.execs.create();
  }

  async execStarted(handle: ExecHandle): Promise<boolean> {
    this.assertAlive();
    return this.execs.started(handle);
  }

  async startExec(handle: ExecHandle, request: ExecRequest): Promise<void> {
    this.assertAlive();
    if (request.user !== null && !/^(root|0)$/.test(request.user)) {
      throw new LongrunError(
        'sandbox_failed',
        `The in-memory sandbox has no user "${request.user}", only root.`,
        {
          hint: 'Use --sandbox docker for tasks that name a user.',
        },
      );
    }
    this.execs.start(handle, (signal) => this.run(handle.execId, request, signal));
  }

  async awaitExec(handle: ExecHandle, _request: ExecRequest, signal: AbortSignal): Promise<ExecResult> {
    this.assertAlive();
    const result = await this.execs.await(handle, signal);
    this.assertAlive();
    return result;
  }

  async killExec(handle: ExecHandle): Promise<void> {
    await this.execs.kill(handle);
  }

  async putArchive(directory: string, tar: Uint8Array): Promise<void> {
    const entries = await readTar(tar);
    const fs = await this.fs();
    await fs.mkdir(directory, { recursive: true });
    const under = (path: string) => posix.join(directory, path);
    const placed = entries
      .filter((entry) => entry.path !== '')
      .map((entry) => ({
        ...entry,
        path: under(entry.path),
        target: entry.type === 'link' ? under(entry.target) : entry.target,
      }));
    await writeEntries(fs, placed);
  }

  async getArchive(path: string, limitBytes: number): Promise<Uint8Array | null> {
    const fs = await this.fs();
    const root = posix.resolve('/', path);
    if (!(await fs.lstat(root).catch(() => null))) return null;
    // Through a link in a parent folder, not through one at the end.
    const real = posix.join(await fs.realpath(posix.dirname(root)), posix.basename(root));
    const entries = await readEntries(fs, real);
    const bytes = entries.reduce((sum, entry) => sum + entry.content.length + 512, 0);
    if (bytes > limitBytes) {
      throw new LongrunError(
        'archive_refused',
        `${path} holds ${bytes} bytes; at most ${limitBytes} are taken.`,
      );
    }
    const name = posix.basename(root);
    return writeTar(entries.map((entry) => ({ ...entry, path: `${name}${entry.path.slice(real.length)}` })));
  }

  async changedPaths(): Promise<ChangedPath[]> {
    this.assertAlive();
    if (this.files === null) return [];
    const changes: ChangedPath[] = [];
    const now = new Map((await readEntries(await this.files, '/')).map((entry) => [entry.path, entry]));
    for (const [path, entry] of now) {
      const before = this.image.entries.get(path);
      if (before === undefined) changes.push({ path, kind: 'added' });
      else if (!same(before, entry)) changes.push({ path, kind: 'modified' });
    }
    for (const path of this.image.entries.keys()) if (!now.has(path)) changes.push({ path, kind: 'deleted' });
    return changes;
  }

  async state(): Promise<SandboxState> {
    if (this.destroyed) return { running: false, ended: 'outside', oomKilled: false };
    return { running: true, ended: null, oomKilled: false };
  }

  async restart(): Promise<void> {
    this.assertAlive();
    await this.execs.killAll();
  }

  async destroy(): Promise<void> {
    if (this.destroyed) return;
    this.destroyed = true;
    this.onDestroy();
    await this.execs.killAll();
    this.files = null;
  }

  private async run(execId: string, request: ExecRequest, signal: AbortSignal): Promise<ExecResult> {
    const fs = await this.fs();
    const cwd = request.cwd ?? this.workdir;
    const env = { ...this.image.env, ...this.request.spec.env, ...request.env };
    const isFolder = await fs.stat(cwd).then(
      (stat) => stat.isDirectory,
      () => false,
    );
    if (!isFolder) return noSuchFolder(cwd);
    return runScript({ justBash: await loadJustBash(), fs, execId, env, cwd }, request, signal);
  }

  private fs(): Promise<SandboxFs> {
    this.assertAlive();
    this.files ??= this.unpack();
    return this.files;
  }

  private async unpack(): Promise<SandboxFs> {
    const fs = await unpackImage(await loadJustBash(), this.image);
    const { workdir } = this.request.spec;
    if (workdir !== null) await fs.mkdir(workdir, { recursive: true });
    return fs;
  }

  private assertAlive(): void {
    if (this.destroyed)
      throw new LongrunError('sandbox_gone', `The in-memory sandbox ${this.ref.id} is gone.`);
  }
}

function same(before: TarEntry, after: TarEntry): boolean {
  if (before.type !== after.type || before.mode !== after.mode || before.target !== after.target)
    return false;
  return Buffer.compare(before.content, after.content) === 0;
}

/** As a container engine answers it: the command does not run, its exit code is 126. */
function noSuchFolder(cwd: string): ExecResult {
  const head = Buffer.from(`cannot change to the working directory ${cwd}: no such directory\n`);
  const output = { head, tail: new Uint8Array(), omittedBytes: 0 };
  return { exitCode: 126, output, timedOut: false, killed: false, outcomeUnknown: false, durationMs: 0 };
}
