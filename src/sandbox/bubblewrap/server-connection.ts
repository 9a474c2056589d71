import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { LongrunError } from '../../core/errors.js';
import { ANSWER, encodeRequest, type Frame, FrameReader, REQUEST } from './server-frames.js';

interface Pending {
  onOutput: (chunk: Uint8Array) => void;
  resolve: (data: Buffer) => void;
  reject: (error: LongrunError) => void;
}

const STDERR_KEPT = 4_000;
/** `nobody`: a sandbox started by root is mapped to it, so that uid 0 inside is nowhere the real root. */
const UNPRIVILEGED = { uid: 65_534, gid: 65_534 };

/** Runs bwrap and talks to the exec server inside. Everything ends when bwrap does. */
export class ServerConnection {
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly pending = new Map<number, Pending>();
  private readonly reader = new FrameReader();
  private stderr = '';
  private lastId = 0;
  private gone: LongrunError | null = null;
  private readonly exited: Promise<void>;

  constructor(bwrapArguments: readonly string[]) {
    const identity = process.getuid?.() === 0 ? UNPRIVILEGED : {};
    this.child = spawn('bwrap', bwrapArguments, {
      ...identity,
      cwd: '/',
      env: { PATH: process.env.PATH ?? '' },
    });
    this.exited = new Promise((resolve) => {
      this.child.once('close', (code, signal) => {
        this.fail(
          `it ended (${signal ?? `exit code ${code}`})${this.stderr === '' ? '' : `: ${this.stderr.trim()}`}`,
        );
        resolve();
      });
      this.child.once('error', (error) => {
        this.fail(error.message);
        resolve();
      });
    });
    // A write to a sandbox that is ending is reported by `close`.
    this.child.stdin.on('error', () => undefined);
    this.child.stderr.on('data', (chunk: Buffer) => {
      this.stderr = (this.stderr + chunk.toString('utf8')).slice(-STDERR_KEPT);
    });
    this.child.stdout.on('data', (chunk: Buffer) => this.receive(chunk));
  }

  get alive(): boolean {
    return this.gone === null;
  }

  /** Resolves when the server inside has said that it is there. */
  async ready(): Promise<void> {
    await this.expect(0);
  }

  /** Runs a command; resolves with its wait status. */
  async run(
    id: number,
    fields: ReadonlyArray<string | Uint8Array>,
    onOutput: Pending['onOutput'],
  ): Promise<number> {
    const ended = this.expect(id, onOutput);
    this.child.stdin.write(encodeRequest(REQUEST.run, id, fields));
    return (await ended).readUInt32BE();
  }

  async ask(type: number, fields: ReadonlyArray<string | Uint8Array>): Promise<void> {
    const id = this.nextId();
    const done = this.expect(id);
    this.child.stdin.write(encodeRequest(type, id, fields));
    await done;
  }

  nextId(): number {
    this.lastId += 1;
    return this.lastId;
  }

  /** Ends bwrap and with it every process of the sandbox. */
  async close(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  private expect(id: number, onOutput: Pending['onOutput'] = () => undefined): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (this.gone !== null) reject(this.gone);
      else this.pending.set(id, { onOutput, resolve, reject });
    });
  }

  private receive(chunk: Buffer): void {
    try {
      for (const frame of this.reader.push(chunk)) this.dispatch(frame);
    } catch (error) {
      this.fail(`its exec server said something unintelligible: ${String(error)}`);
      this.child.kill('SIGKILL');
    }
  }

  private dispatch({ type, id, data }: Frame): void {
    const pending = this.pending.get(id);
    if (pending === undefined) return;
    if (type === ANSWER.output) {
      pending.onOutput(Uint8Array.from(data));
      return;
    }
    this.pending.delete(id);
    if (type === ANSWER.failed) {
      const said = data.toString('utf8').trim();
      pending.reject(new LongrunError('sandbox_failed', `The bubblewrap sandbox could not do it: ${said}`));
    } else pending.resolve(data);
  }

  private fail(reason: string): void {
    this.gone ??= new LongrunError('sandbox_gone', `The bubblewrap sandbox is gone: ${reason}`);
    for (const pending of this.pending.values()) pending.reject(this.gone);
    this.pending.clear();
  }
}
