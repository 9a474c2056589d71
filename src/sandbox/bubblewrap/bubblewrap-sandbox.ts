import { posix } from 'node:path';
import { LongrunError } from '../../core/errors.js';
import { shell } from '../../core/text/shell.js';
import { LONGEST_TIMER_MS } from '../../core/time.js';
import { ExecRegistry } from '../exec-registry.js';
import { OutputBuffer } from '../output-buffer.js';
import type {
  ChangedPath,
  CreateSandbox,
  ExecHandle,
  ExecRequest,
  ExecResult,
  Sandbox,
  SandboxInfo,
  SandboxRef,
  SandboxSnapshot,
  SandboxState,
} from '../sandbox.js';
import { readTar, type TarEntry } from '../tar-entries.js';
import { absolute, type BubblewrapImage } from './bubblewrap-image.js';
import { packSnapshot } from './bubblewrap-snapshot.js';
import { compareListing, listingScript } from './changed-paths.js';
import { LOCAL_FOLDER } from './root-folder.js';
import type { ServerConnection } from './server-connection.js';
import { REQUEST } from './server-frames.js';

/** Before the output of a command of ours. */
const BEGIN = 'longrun-begin';
const HOUSEKEEPING_MS = 60_000;
const MAX_SNAPSHOT_BYTES = 512 * 1024 * 1024;
const MAX_LISTING_BYTES = 64 * 1024 * 1024;
/** A tar's own headers and padding, on top of what it holds. */
const TAR_SLACK_BYTES = 64 * 1024;

/** One sandbox: bwrap with the exec server as its PID 1. Ends with the process that made it. */
export class BubblewrapSandbox implements Sandbox {
  readonly user = 'root';
  private readonly execs: ExecRegistry;
  private sealedAtMs = 0;
  private started: ReadonlyMap<string, TarEntry> = new Map();
  private destroyed = false;

  constructor(
    readonly ref: SandboxRef,
    private readonly connection: ServerConnection,
    private readonly image: BubblewrapImage,
    private readonly request: CreateSandbox,
    private readonly createdAtMs: number,
    private readonly onDestroy: () => void,
  ) {
    this.execs = new ExecRegistry(ref.id);
  }

  get info(): SandboxInfo {
    const { ref, createdAtMs } = this;
    return { ref, owner: this.request.owner, createdAtMs, running: this.connection.alive };
  }

  /** Puts the image's files in place; nothing of the task has run yet. */
  async fill(): Promise<void> {
    const { entries, root } = this.image;
    await this.putEntries(entries, this.workdir);
    this.started = new Map([...root.links, ...entries].map((entry) => [entry.path, entry]));
    // Times of files have parts of a millisecond; the clock here has none.
    this.sealedAtMs = Date.now() + 1;
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
    if (request.user !== null && !/^(root|0)(:(root|0))?$/.test(request.user)) {
      throw new LongrunError(
        'sandbox_failed',
        `A bubblewrap sandbox has no user "${request.user}", only root.`,
        {
          hint: 'Use --sandbox docker for tasks that name a user.',
        },
      );
    }
    this.execs.start(handle, (signal) => this.runNow(this.inSandbox(request), signal));
  }

  async awaitExec(handle: ExecHandle, _request: ExecRequest, signal: AbortSignal): Promise<ExecResult> {
    this.assertAlive();
    return this.execs.await(handle, signal);
  }

  async killExec(handle: ExecHandle): Promise<void> {
    await this.execs.kill(handle);
  }

  /** Runs a command with exactly this environment; its whole session is killed when `signal` aborts. */
  async runNow(request: ExecRequest, signal: AbortSignal, shell = '/bin/sh'): Promise<ExecResult> {
    const startedAt = performance.now();
    const output = new OutputBuffer(request.outputLimitBytes);
    const id = this.connection.nextId();
    const { script, stdin } = request;
    const input = stdin === null ? ['0', ''] : ['1', stdin];
    const fields = [
      shell,
      script,
      request.cwd ?? this.workdir,
      ...input,
      ...Object.entries(request.env).flat(),
    ];
    const ended = this.connection.run(id, fields, (chunk) => output.push(chunk));
    const kill = () => void this.connection.ask(REQUEST.kill, [String(id)]).catch(() => undefined);
    let timedOut = false;
    const timer = setTimeout(
      () => {
        timedOut = true;
        kill();
      },
      Math.min(request.timeoutMs, LONGEST_TIMER_MS),
    );
    if (signal.aborted) kill();
    else signal.addEventListener('abort', kill, { once: true });
    try {
      const status = await ended;
      const killed = signal.aborted && !timedOut;
      const exitCode = timedOut || killed ? null : exitCodeOf(status);
      const durationMs = performance.now() - startedAt;
      return { exitCode, output: output.result(), timedOut, killed, outcomeUnknown: false, durationMs };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', kill);
    }
  }

  async putArchive(directory: string, tar: Uint8Array): Promise<void> {
    this.assertAlive();
    const entries = await readTar(tar);
    const under = (path: string) => posix.join('/', directory, path);
    const inside = entries.filter((entry) => entry.path !== '');
    const target = (entry: TarEntry) => (entry.type === 'link' ? under(entry.target) : entry.target);
    const placed = inside.map((entry) => ({ ...entry, path: under(entry.path), target: target(entry) }));
    await this.putEntries(placed, under(''));
  }

  async getArchive(path: string, limitBytes: number): Promise<Uint8Array | null> {
    const whole = posix.resolve('/', path);
    const script = shell`[ -e "$P" ] || [ -L "$P" ] || exit 3; exec tar -b 1 -cf - -C "$D" -- "$N" 2>/dev/null`;
    const env = { P: whole, D: posix.dirname(whole), N: posix.basename(whole) || '.' };
    const result = await this.housekeeping(script, env, limitBytes + TAR_SLACK_BYTES);
    if (result.exitCode === 3) return null;
    if (result.output.omittedBytes > 0 || result.output.head.length > limitBytes + TAR_SLACK_BYTES) {
      throw new LongrunError(
        'archive_refused',
        `${path} holds more than the ${limitBytes} bytes that are taken.`,
      );
    }
    // 1: a file changed while it was read, which an archive of a running sandbox has to bear.
    if (result.exitCode !== 0 && result.exitCode !== 1) {
      throw new LongrunError(
        'sandbox_failed',
        `tar could not read ${path} in the sandbox (exit code ${result.exitCode}).`,
      );
    }
    return result.output.head;
  }

  async changedPaths(): Promise<ChangedPath[] | null> {
    const { mountPoints } = this.image.root;
    const result = await this.housekeeping(listingScript(mountPoints), {}, MAX_LISTING_BYTES);
    if (result.exitCode !== 0 || result.output.omittedBytes > 0) return null;
    const listing = Buffer.from(result.output.head).toString('utf8');
    return compareListing(listing, this.started, [...mountPoints, this.workdir], this.sealedAtMs);
  }

  async state(): Promise<SandboxState> {
    if (this.connection.alive) return { running: true, ended: null, oomKilled: false };
    return { running: false, ended: 'outside', oomKilled: false };
  }

  async freeReserve(): Promise<void> {
    this.assertAlive();
    await this.connection.ask(REQUEST.freeReserve, []);
  }

  async restart(): Promise<void> {
    this.assertAlive();
    await this.connection.ask(REQUEST.restart, []);
  }

  async destroy(): Promise<void> {
    if (this.destroyed) return;
    this.destroyed = true;
    this.onDestroy();
    await this.connection.close();
  }

  /**
   * Makes `folder` with its parents, then writes entries with absolute paths. From inside: no link can lead the
   * writer out of the sandbox.
   */
  async putEntries(entries: readonly TarEntry[], folder: string): Promise<void> {
    const fields = entries.flatMap(({ path, type, mode, mtime, content, target }) => {
      const seconds = String(Math.floor(mtime.getTime() / 1000));
      return [path, type, String(mode), seconds, type === 'file' ? content : target];
    });
    await this.connection.ask(REQUEST.put, [folder, 'parents', '0', '0', '', ...fields]);
  }

  async snapshot(): Promise<SandboxSnapshot> {
    const { root, env, workdir } = this.image;
    const entries = await this.written(MAX_SNAPSHOT_BYTES);
    return packSnapshot({ root, entries, env, workdir });
  }

  /** Everything that was written, as entries for sandboxes to come. */
  async written(limitBytes: number): Promise<TarEntry[]> {
    const script = shell`exec tar --one-file-system -cf - -C / . .${LOCAL_FOLDER} 2>/dev/null`;
    const result = await this.housekeeping(script, {}, limitBytes);
    if (result.output.omittedBytes > 0 || (result.exitCode !== 0 && result.exitCode !== 1)) {
      throw new LongrunError('image_build_failed', `The image's own files exceed ${limitBytes} bytes.`);
    }
    const { mountPoints, links } = this.image.root;
    const given = new Set(['/', ...mountPoints, ...links.map((link) => link.path)]);
    const entries = (await readTar(result.output.head)).map((entry) => absolute(entry));
    return entries.filter((entry) => !given.has(entry.path));
  }

  private inSandbox(request: ExecRequest): ExecRequest {
    return { ...request, env: { ...this.image.env, ...this.request.spec.env, ...request.env } };
  }

  /** A command of ours: by the read-only programs, whatever the agent put before them. */
  private async housekeeping(
    script: string,
    env: Record<string, string>,
    outputLimitBytes: number,
  ): Promise<ExecResult> {
    this.assertAlive();
    const trusted = { ...env, PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };
    // A loader that an agent has given something to complain of speaks before the shell does.
    const marked = `echo ${BEGIN}; ${script}`;
    const request = {
      script: marked,
      cwd: '/',
      env: trusted,
      user: null,
      timeoutMs: HOUSEKEEPING_MS,
      stdin: null,
    };
    // Twice the limit, of which the head alone is taken: it must be whole.
    const limited = { ...request, outputLimitBytes: 2 * outputLimitBytes };
    const result = await this.runNow(limited, new AbortController().signal, this.image.root.shell);
    const { head } = result.output;
    const begun = Buffer.from(head.buffer, head.byteOffset, head.byteLength).indexOf(`${BEGIN}\n`);
    const own = begun < 0 ? new Uint8Array() : head.subarray(begun + BEGIN.length + 1);
    return { ...result, output: { ...result.output, head: own } };
  }

  private assertAlive(): void {
    if (!this.connection.alive || this.destroyed) {
      throw new LongrunError('sandbox_gone', `The bubblewrap sandbox ${this.ref.id} is gone.`);
    }
  }
}

/** As a shell says it: 128 and the number of the signal that ended the command. */
function exitCodeOf(waitStatus: number): number {
  const signal = waitStatus & 0x7f;
  return signal === 0 ? (waitStatus >> 8) & 0xff : 128 + signal;
}
