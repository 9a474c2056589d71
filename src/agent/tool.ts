import type { ToolSchema } from '../core/model/messages.js';
import type { ExecRequest, ExecResult } from '../sandbox/sandbox.js';

/** What a tool may do while it plans: look, as often as it likes, without side effects. */
export interface ToolContext {
  /** Runs a script that changes nothing; may be repeated after a crash. */
  inspect(script: string, options?: Partial<ExecRequest>): Promise<ExecResult>;
  /** The agent's user in the sandbox; null = its default. */
  user: string | null;
  /** Milliseconds left on the agent's clock: no command may take longer. */
  remainingMs: number;
  /** Results of the `todo` tool so far, by replaying the recorded calls of the rollout: pure state. */
  priorCalls(tool: string): readonly { arguments: string; content: string }[];
}

export interface ToolAnswer {
  content: string;
  success: boolean;
  /** As in `ToolResult.error`. */
  error: string | null;
}

/** Either an answer at once, or the one command whose effect is journaled and happens once. */
export type ToolPlan =
  | { kind: 'answer'; answer: ToolAnswer }
  | { kind: 'effect'; request: Omit<ExecRequest, 'user'>; note: unknown };

/**
 * A tool of the tool-calling agent. `plan` may run again after a crash, until the command's
 * exec object is in the store; from then on only `finish` is called, with the recorded note.
 */
export interface Tool {
  readonly schema: ToolSchema;
  /** What is wrong with the arguments, in words for the model; null when they are as the schema says. */
  check(args: Record<string, unknown>): string | null;
  plan(args: Record<string, unknown>, context: ToolContext): Promise<ToolPlan>;
  finish(result: ExecResult, note: unknown): ToolAnswer;
}
