/** One answer of a scripted model: text, calls, or both. String arguments are sent as they are, broken or not. */
export interface ScriptedTurn {
  content?: string;
  reasoning?: string;
  toolCalls?: { name: string; arguments: Record<string, unknown> | string }[];
  /** `stop` or `tool_calls` unless told otherwise. */
  finishReason?: string;
}

/**
 * How a scripted model behaves on one task. Written by hand, never derived from `solution/`.
 * Each variant has at least four turns, with wrong turns, bad arguments and recovery.
 */
export interface TaskScript {
  /** A phrase of the instruction by which the task is recognised in the first user message. */
  recognise: string;
  variants: {
    solves: ScriptedTurn[];
    fails: ScriptedTurn[];
    /** Leaves part of the work undone; where a task has no partial credit it scores 0. */
    partly: ScriptedTurn[];
  };
}
