import { LongrunError } from '../../core/errors.js';
import { Detached, type Lifecycle, mayGoOn } from '../../core/rollout/lifecycle.js';
import type { ExecHandle, ExecRequest, ExecResult, Sandbox } from '../../sandbox/sandbox.js';
import { putRecordIfAbsent, readRecord } from '../../store/records/records.js';
import { type ExecRecord, execRecordSchema } from '../../store/records/records.schema.js';
import type { ArtifactStore } from '../../store/store.js';

export interface JournalIo {
  store: ArtifactStore;
  lifecycle: Lifecycle;
  now(): number;
  /** Throws `fenced` when a newer executor has taken over. */
  guard(): Promise<void>;
}

/** What is known of a journaled command without planning it again. */
const ATTACH: ExecRequest = {
  script: '',
  cwd: null,
  env: {},
  user: null,
  timeoutMs: 0,
  outputLimitBytes: 1_000_000,
  stdin: null,
};

/**
 * Runs a command once, whatever dies on the way: the engine's exec object is made, its id put in
 * the store, then it is started, and the engine refuses a second start. Whoever comes later
 * attaches to the recorded one.
 */
export class ExecJournal {
  constructor(
    private readonly io: JournalIo,
    private readonly sandbox: Sandbox,
    private readonly key: string,
  ) {}

  /** The recorded command, if it was ever started: then it must not be planned again. */
  async started(): Promise<ExecRecord | null> {
    const record = await readRecord(this.io.store, execRecordSchema, this.key);
    if (record === null) return null;
    return (await this.sandbox.execStarted({ execId: record.execId })) ? record : null;
  }

  /** Starts `request` unless a record says otherwise, and waits for its end. */
  async run(request: ExecRequest, note: unknown): Promise<ExecResult> {
    mayGoOn(this.io.lifecycle);
    const record =
      (await readRecord(this.io.store, execRecordSchema, this.key)) ?? (await this.create(request, note));
    const handle = { execId: record.execId };
    await this.io.guard();
    try {
      await this.sandbox.startExec(handle, request);
    } catch (error) {
      if (!LongrunError.is(error, 'exec_already_started')) throw error;
    }
    return this.wait(handle, request);
  }

  /** Waits for a command that an earlier executor started. */
  attach(record: ExecRecord): Promise<ExecResult> {
    const request = { ...ATTACH, timeoutMs: record.timeoutMs };
    return this.wait({ execId: record.execId }, request);
  }

  private async create(request: ExecRequest, note: unknown): Promise<ExecRecord> {
    await this.io.guard();
    const { execId } = await this.sandbox.createExec(request);
    const mine: ExecRecord = {
      schemaVersion: 1,
      execId,
      note,
      timeoutMs: request.timeoutMs,
      createdAt: this.io.now(),
    };
    return (await putRecordIfAbsent(this.io.store, execRecordSchema, this.key, mine, 'process')).value;
  }

  private async wait(handle: ExecHandle, request: ExecRequest): Promise<ExecResult> {
    const { lifecycle } = this.io;
    try {
      const result = await this.sandbox.awaitExec(handle, request, lifecycle.stopping);
      // By the sandbox's own clock it may have taken a moment less: then its agent would have a moment left.
      const durationMs = result.timedOut ? Math.max(result.durationMs, request.timeoutMs) : result.durationMs;
      return { ...result, durationMs };
    } catch (error) {
      if (!lifecycle.stopping.aborted) throw error;
      if (!lifecycle.cancelled.aborted) throw new Detached();
      await this.sandbox.killExec(handle);
      throw new LongrunError('cancelled', 'cancelled by request', { cause: error });
    }
  }
}
