import { setTimeout as delay } from 'node:timers/promises';
import { LongrunError } from '../../core/errors.js';
import { type KillReason, parseExecStream } from '../exec-report.js';
import type { ExecHandle, ExecRequest, ExecResult, SandboxState } from '../sandbox.js';
import { engineStatus, toLongrunError } from './engine-error.js';
import { type ExecFacts, type ExecJournal, refusesSecondStart } from './exec-journal.js';
import { endedResult, notBegunResult, reportedResult } from './exec-result.js';
import type { ExecStream } from './exec-stream.js';
import { firstOf } from './first-of.js';
import { sandboxGone } from './gone.js';

const FIRST_POLL_MS = 20;
const LONGEST_POLL_MS = 1_000;
/** The engine books the end of a command a moment after its stream has ended. */
const BOOKING_LIMIT_MS = 5_000;
/** How long a container that answers nothing any more may still be booked as running. */
const DYING_LIMIT_MS = 1_500;
/** No engine takes longer to tell that a command has ended. */
const DAWDLING_LIMIT_MS = 30_000;
const NEVER = new AbortController().signal;
/** A command that runs longer has its spool watched. */
const TRIM_AFTER_MS = 3_000;

/** Starts, awaits and kills the commands of one container, from the process that started them or another. */
export class ExecRunner {
  private readonly streams = new Map<string, ExecStream>();
  private readonly neverBegun = new Map<string, ExecResult>();

  constructor(
    private readonly journal: ExecJournal,
    private readonly sandboxState: () => Promise<SandboxState>,
  ) {}

  async start(handle: ExecHandle, request: ExecRequest): Promise<void> {
    const stream = await this.journal.open(handle, request).catch((error) => this.refused(handle, error));
    if (await stream.begun) this.streams.set(handle.execId, stream);
    else await this.explain(handle, stream.complaint);
  }

  async await(handle: ExecHandle, request: ExecRequest, signal: AbortSignal): Promise<ExecResult> {
    const failed = this.neverBegun.get(handle.execId);
    if (failed !== undefined) return failed;
    const stream = this.streams.get(handle.execId);
    if (stream === undefined) return this.awaitDetached(handle, request, signal);
    const letGo = () => {
      this.streams.delete(handle.execId);
      stream.close();
    };
    try {
      const result = await this.awaitAttached(handle, request, stream, signal);
      letGo();
      return result;
    } catch (error) {
      // A command that is only left alone keeps its stream, on which its input may still be on the way.
      if (!signal.aborted) letGo();
      throw error;
    }
  }

  /** Kills the command and answers how it stands then: killed, or ended before. */
  async kill(handle: ExecHandle, limitBytes: number, reason: KillReason): Promise<ExecResult> {
    const report = await this.journal.report(handle, limitBytes, reason);
    const facts = await this.booked(handle, NEVER);
    const isTold = report?.end || report?.killReason;
    if (facts === null ? isTold : !facts.running)
      return reportedResult(report, isTold ? null : (facts?.exitCode ?? null));
    // No process can be had for the script, or the agent has removed or changed our traces: PID 1 ends them all.
    await this.journal.killAll();
    const after = await this.journal.report(handle, limitBytes, reason);
    const elapsedMs = after?.elapsedMs ?? 0;
    const output = after?.output ?? reportedResult(null, null).output;
    return reportedResult(
      { elapsedMs, output, alive: false, end: null, notRun: false, killReason: reason },
      null,
    );
  }

  private async awaitAttached(
    handle: ExecHandle,
    request: ExecRequest,
    stream: ExecStream,
    signal: AbortSignal,
  ): Promise<ExecResult> {
    const left = () => request.timeoutMs - (performance.now() - stream.startedAtMs);
    let seen = await firstOf(stream.ended, Math.min(left(), TRIM_AFTER_MS), signal);
    if (seen === 'expired' && left() > 0) {
      await this.journal.trim(handle, request.outputLimitBytes);
      seen = await firstOf(stream.ended, left(), signal);
    }
    if (seen === 'expired') return this.kill(handle, request.outputLimitBytes, 'timeout');
    const facts = await this.booked(handle, signal);
    const said = parseExecStream(stream.stdout, request.outputLimitBytes);
    if (said !== null) {
      const result = endedResult(said.end, said.output, facts?.exitCode ?? null);
      // What the sandbox says it took counts, because engines dawdle, but not against a clock out of its reach.
      const leastMs = performance.now() - stream.startedAtMs - DAWDLING_LIMIT_MS;
      return { ...result, durationMs: Math.max(result.durationMs, leastMs) };
    }
    return (await this.cutShort(handle, request, facts)) ?? this.awaitDetached(handle, request, signal);
  }

  private async awaitDetached(
    handle: ExecHandle,
    request: ExecRequest,
    signal: AbortSignal,
  ): Promise<ExecResult> {
    let deadlineMs: number | null = null;
    for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 1.5, LONGEST_POLL_MS)) {
      const facts = await this.journal.inspect(handle);
      if (facts !== null && !facts.started) {
        throw new LongrunError('sandbox_failed', `The command ${handle.execId} was never started.`);
      }
      if (facts === null || !facts.running) {
        const over = await this.cutShort(handle, request, facts);
        if (over !== null) return over;
      }
      deadlineMs ??= await this.deadline(handle, request);
      const leftMs = deadlineMs - performance.now();
      if (leftMs <= 0) return this.kill(handle, request.outputLimitBytes, 'timeout');
      await orCancelled(delay(Math.min(pollMs, leftMs), undefined, { signal }), signal);
    }
  }

  /** By this process's steady clock. A command whose start nobody knows gets its whole time again. */
  private async deadline(handle: ExecHandle, request: ExecRequest): Promise<number> {
    const report = await this.journal.report(handle, 0, null);
    await this.journal.trim(handle, request.outputLimitBytes);
    return performance.now() + request.timeoutMs - (report?.elapsedMs ?? 0);
  }

  /** The engine takes it for ended and its stream did not tell how; null when it runs on all the same. */
  private async cutShort(
    handle: ExecHandle,
    request: ExecRequest,
    facts: ExecFacts | null,
  ): Promise<ExecResult | null> {
    const report = await this.journal.report(handle, request.outputLimitBytes, null);
    if (report?.alive) return null;
    if (report === null) await this.assertSandboxLives();
    return reportedResult(report, facts?.exitCode ?? null);
  }

  private async booked(handle: ExecHandle, signal: AbortSignal): Promise<ExecFacts | null> {
    const deadlineMs = performance.now() + BOOKING_LIMIT_MS;
    for (let pollMs = 2; ; pollMs *= 2) {
      const facts = await this.journal.inspect(handle);
      if (facts === null || !facts.running || performance.now() > deadlineMs) return facts;
      await orCancelled(delay(pollMs, undefined, { signal }), signal);
    }
  }

  /** The engine refused to start it. */
  private async refused(handle: ExecHandle, error: unknown): Promise<never> {
    const status = engineStatus(error);
    if (status === 404 || status === 409) {
      await this.assertSandboxRuns();
      throw alreadyStarted(handle, error);
    }
    throw toLongrunError(error, 'starting a command');
  }

  /** The stream ended before the command had begun; `words` are the engine's or the shell's. */
  private async explain(handle: ExecHandle, words: string): Promise<void> {
    if (refusesSecondStart(words)) throw alreadyStarted(handle, words);
    await this.assertSandboxRuns();
    if (/unable to find (user|group)|no matching entries in (passwd|group)/.test(words)) {
      throw new LongrunError('sandbox_failed', `The command's user does not exist in the sandbox: ${words}`, {
        hint: 'Name a user of the image, or a numeric id.',
      });
    }
    if (await this.journal.isOutOfProcesses()) {
      await this.journal.killAll();
      this.neverBegun.set(handle.execId, notBegunResult('no process left in the sandbox: all were ended'));
      return;
    }
    await this.assertSandboxLives();
    if (words === '') {
      this.neverBegun.set(handle.execId, notBegunResult('killed before it began'));
    } else if (
      /no such file|not found|permission denied|exec format|is a directory|file exists|no space left/i.test(
        words,
      )
    ) {
      // The shell is gone or broken, and it was there when the sandbox started: done from inside.
      this.neverBegun.set(handle.execId, notBegunResult(words));
    } else {
      throw new LongrunError('sandbox_failed', `The command could not be started: ${words}`, {
        retryable: true,
      });
    }
  }

  /** A dying container ends its commands a moment before the engine books its own end. */
  private async assertSandboxLives(): Promise<void> {
    const deadlineMs = performance.now() + DYING_LIMIT_MS;
    do {
      await this.assertSandboxRuns();
      await delay(50);
    } while (performance.now() < deadlineMs);
  }

  private async assertSandboxRuns(): Promise<void> {
    const state = await this.sandboxState();
    if (!state.running) throw sandboxGone(state);
  }
}

function alreadyStarted(handle: ExecHandle, cause: unknown): LongrunError {
  return new LongrunError('exec_already_started', `The command ${handle.execId} was started before.`, {
    cause,
  });
}

async function orCancelled<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (signal.aborted)
      throw new LongrunError('cancelled', 'Stopped waiting for a command.', { cause: error });
    throw error;
  }
}
