import type { ChatMessage, ToolCall, ToolSchema } from '../core/model/messages.js';
import type { StopReason } from '../core/rollout/outcome.js';
import type { RunConfig } from '../core/run/run-config.schema.js';
import type { CallRecord, ToolResult } from '../store/records/records.schema.js';
import type { Tool } from './tool.js';

/** A finished turn: the recorded answer of the model and the recorded result of each of its calls. */
export interface TurnHistory {
  call: CallRecord;
  results: ToolResult[];
}

/** What to send for the next turn. */
export type NextRequest =
  | { kind: 'send'; messages: ChatMessage[]; tools: ToolSchema[]; sentView: Record<string, unknown> | null }
  /** `summarise`: ask for this first; its answer is recorded and handed back as `summary`. */
  | { kind: 'summarise'; messages: ChatMessage[]; throughTurn: number }
  | { kind: 'stop'; stopReason: StopReason; message: string };

export type PlannedCall =
  | { kind: 'run'; call: ToolCall; tool: Tool; args: Record<string, unknown> }
  /** Answered without running anything: unknown tool, arguments that do not parse. */
  | { kind: 'refused'; call: ToolCall; content: string; error: 'unknown_tool' | 'bad_arguments' };

/** What the recorded turns amount to: go on, or stop and why. */
export type Continuation = { kind: 'continue' } | { kind: 'stop'; stopReason: StopReason; message: string };

export interface AgentContext {
  config: RunConfig;
  instruction: string;
  /** Files and limits worth telling: working directory, user, time. */
  workdir: string | null;
  tools: readonly Tool[];
  contextWindow: number | null;
  /** The newest recorded summary, for `summarise`. */
  summary: { throughTurn: number; content: string } | null;
}

/** The tool-calling agent: pure functions over recorded turns, so that any process can go on with them. */
export interface TurnAgent {
  next(context: AgentContext, turns: readonly TurnHistory[]): NextRequest;
  plan(context: AgentContext, call: CallRecord): PlannedCall[];
  /** Asked after each finished turn: natural end, format-error limit, length. */
  judge(context: AgentContext, turns: readonly TurnHistory[]): Continuation;
}
