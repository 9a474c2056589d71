import type { PlannedCall, TurnHistory } from '../../agent/agent.js';
import { boundResult, resultLimitBytes, resultPath } from '../../agent/bound-result.js';
import type { Tool, ToolAnswer, ToolContext } from '../../agent/tool.js';
import { runExec } from '../../sandbox/run-exec.js';
import type { ExecRequest, ExecResult } from '../../sandbox/sandbox.js';
import { singleFileTar } from '../../sandbox/single-file-tar.js';
import { keys } from '../../store/keys.js';
import { putRecordIfAbsent, readRecord } from '../../store/records/records.js';
import { type ToolResult, toolResultSchema } from '../../store/records/records.schema.js';
import type { AttemptContext } from '../attempt-context.js';
import { persist } from '../persist.js';
import { withoutSecrets } from '../without-secrets.js';
import { ExecJournal } from './exec-journal.js';

const INSPECT_LIMIT_BYTES = 8_000_000;
const INSPECT_TIMEOUT_MS = 30_000;

type Run = Extract<PlannedCall, { kind: 'run' }>;

/** Carries out the tool calls of one turn, each recorded before the next begins. */
export class ToolRunner {
  constructor(
    private readonly context: AttemptContext,
    private readonly turn: number,
    private readonly earlier: readonly TurnHistory[],
    private readonly contextWindow: number | null,
  ) {}

  /** The recorded result of a call, or its execution and then the record; `as` says which record. */
  async result(
    planned: PlannedCall,
    index: number,
    remainingMs: number,
    as: 'toolResult' | 'toolReplayed' = 'toolResult',
  ): Promise<ToolResult> {
    const { deps, key, step, lifecycle } = this.context;
    const at = keys[as](key, step, this.turn, index);
    const known = await readRecord(deps.store, toolResultSchema, at);
    if (known !== null) return known;
    const startedAt = deps.now();
    await deps.atCheckpoint('command:before', key);
    const { answer, exec } = await this.answer(planned, index, remainingMs);
    await deps.atCheckpoint('command:effect', key);
    const record: ToolResult = {
      schemaVersion: 1,
      toolCallId: planned.call.id,
      name: planned.call.name,
      content: await this.bounded(withoutSecrets(this.context, answer.content), planned.call.id),
      success: answer.success,
      error: answer.error,
      exitCode: exec?.exitCode ?? null,
      // The engine's own figure where there is one: it does not count what a takeover took.
      durationMs: Math.round(exec?.durationMs ?? deps.now() - startedAt),
      startedAt,
    };
    const { value } = await persist(
      () => putRecordIfAbsent(deps.store, toolResultSchema, at, record, 'process'),
      lifecycle.cancelled,
    );
    await deps.atCheckpoint('command:recorded', key);
    return value;
  }

  private async answer(planned: PlannedCall, index: number, remainingMs: number) {
    if (planned.kind === 'refused') {
      const { content, error } = planned;
      return { answer: { content, success: false, error }, exec: null };
    }
    return this.carryOut(planned, index, remainingMs);
  }

  private async carryOut(
    planned: Run,
    index: number,
    remainingMs: number,
  ): Promise<{ answer: ToolAnswer; exec: ExecResult | null }> {
    const { deps, key, step, lifecycle, sandbox, guard } = this.context;
    const at = keys.toolExec(key, step, this.turn, index);
    const journal = new ExecJournal({ store: deps.store, lifecycle, now: deps.now, guard }, sandbox, at);
    const started = await journal.started();
    if (started !== null) {
      const exec = await journal.attach(started);
      return { answer: finish(planned.tool, exec, started.note), exec };
    }
    const plan = await planned.tool.plan(planned.args, this.toolContext(remainingMs));
    if (plan.kind === 'answer') return { answer: plan.answer, exec: null };
    const timeoutMs = wholeMs(Math.min(plan.request.timeoutMs, remainingMs));
    const request: ExecRequest = { ...plan.request, user: this.context.stepSpec.agentUser, timeoutMs };
    // What is answered later may quote the file.
    const note: unknown = JSON.parse(withoutSecrets(this.context, JSON.stringify(plan.note ?? null)));
    const exec = await journal.run(request, note);
    return { answer: finish(planned.tool, exec, plan.note), exec };
  }

  private toolContext(remainingMs: number): ToolContext {
    const { sandbox, stepSpec, lifecycle } = this.context;
    const inspect = (script: string, options: Partial<ExecRequest> = {}) =>
      runExec(
        sandbox,
        {
          script,
          cwd: null,
          env: {},
          user: stepSpec.agentUser,
          timeoutMs: wholeMs(Math.min(INSPECT_TIMEOUT_MS, remainingMs)),
          outputLimitBytes: INSPECT_LIMIT_BYTES,
          stdin: null,
          ...options,
        },
        lifecycle.stopping,
      );
    const priorCalls = (tool: string) => this.earlier.flatMap((turn) => callsOf(turn, tool));
    return { inspect, user: stepSpec.agentUser, remainingMs, priorCalls };
  }

  /** What the model is shown; the whole text goes into the sandbox with a pointer to it. */
  private async bounded(content: string, callId: string): Promise<string> {
    const path = resultPath(callId);
    const { shown, overflow } = boundResult(content, resultLimitBytes(this.contextWindow), path);
    if (overflow === null) return shown;
    const slash = path.lastIndexOf('/');
    await this.context.guard();
    await this.context.sandbox.putArchive(
      path.slice(0, slash),
      await singleFileTar(path.slice(slash + 1), overflow),
    );
    return shown;
  }
}

/** Timers take whole milliseconds, and at least one. */
function wholeMs(ms: number): number {
  return Math.max(1, Math.floor(ms));
}

function callsOf(turn: TurnHistory, tool: string): { arguments: string; content: string }[] {
  return turn.call.message.toolCalls.flatMap((call, i) => {
    const result = turn.results[i];
    return call.name === tool && result ? [{ arguments: call.arguments, content: result.content }] : [];
  });
}

function finish(tool: Tool, exec: ExecResult, note: unknown): ToolAnswer {
  if (!exec.outcomeUnknown) return tool.finish(exec, note);
  return {
    content: 'The outcome of this command is unknown: the engine has forgotten it. It was not run again.',
    success: false,
    error: 'outcome_unknown',
  };
}
