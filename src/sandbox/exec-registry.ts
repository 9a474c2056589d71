import { LongrunError } from '../core/errors.js';
import type { ExecHandle, ExecResult } from './sandbox.js';

interface Entry {
  abort: AbortController;
  /** Null until it is started. */
  ended: Promise<ExecResult> | null;
}

/** Results are kept for whoever asks again; older ones are forgotten like a container engine forgets them. */
const KEPT = 64;

/**
 * The exec objects of one sandbox that lives and dies with this process: made, started once, awaited by any
 * activity of the process. An id that is not known (any more) counts as started, its outcome as unknown.
 */
export class ExecRegistry {
  private readonly entries = new Map<string, Entry>();
  private made = 0;

  constructor(private readonly prefix: string) {}

  create(): ExecHandle {
    this.made += 1;
    const execId = `${this.prefix}-${this.made}`;
    this.entries.set(execId, { abort: new AbortController(), ended: null });
    const oldest = this.made - KEPT;
    if (oldest > 0) this.entries.delete(`${this.prefix}-${oldest}`);
    return { execId };
  }

  started(handle: ExecHandle): boolean {
    return this.entries.get(handle.execId)?.ended !== null;
  }

  /** Starts `run`, whose signal aborts when the command is to be killed. Error: `exec_already_started`. */
  start(handle: ExecHandle, run: (signal: AbortSignal) => Promise<ExecResult>): void {
    const entry = this.entries.get(handle.execId);
    if (entry === undefined || entry.ended !== null) {
      throw new LongrunError('exec_already_started', `The command ${handle.execId} was started before.`);
    }
    entry.ended = run(entry.abort.signal);
    // Whoever awaits it sees the error; until then it must not end the process.
    entry.ended.catch(() => undefined);
  }

  /** The result; rejects as soon as `signal` aborts, while the command runs on. */
  async await(handle: ExecHandle, signal: AbortSignal): Promise<ExecResult> {
    signal.throwIfAborted();
    const entry = this.entries.get(handle.execId);
    if (entry === undefined) return unknownOutcome();
    const { ended } = entry;
    if (ended === null)
      throw new LongrunError('sandbox_failed', `The command ${handle.execId} was never started.`);
    return new Promise((resolve, reject) => {
      const detach = () => reject(signal.reason);
      signal.addEventListener('abort', detach, { once: true });
      ended.then(resolve, reject).finally(() => signal.removeEventListener('abort', detach));
    });
  }

  async kill(handle: ExecHandle): Promise<void> {
    const entry = this.entries.get(handle.execId);
    entry?.abort.abort();
    await entry?.ended?.catch(() => undefined);
  }

  async killAll(): Promise<void> {
    await Promise.all([...this.entries.keys()].map((execId) => this.kill({ execId })));
  }
}

function unknownOutcome(): ExecResult {
  const output = { head: new Uint8Array(), tail: new Uint8Array(), omittedBytes: 0 };
  return { exitCode: null, output, timedOut: false, killed: false, outcomeUnknown: true, durationMs: 0 };
}
