import { z } from 'zod';

/** Stands in the manifest beside the files. */
export const ATROPOS_VERSION = 'atropos-v1';

const nothing = { count: z.number().int().nonnegative().nullable().default(null) };

/** One tool call of a turn, with what came of it. */
export const tracedCallSchema = z.object({
  tool_name: z.string(),
  /** Text of the model that is no object stands under `raw_arguments`. */
  arguments: z.record(z.string(), z.unknown()).default({}),
  result: z.string().nullable().default(null),
  error: z.string().nullable().default(null),
  duration_ms: z.number().nullable().default(null),
  success: z.boolean().nullable().default(null),
});
export type TracedCall = z.output<typeof tracedCallSchema>;

/**
 * One turn of an agent, a line of atropos-v1: a view of the record, in the spelling of the file. What is
 * not known is null. Others leave fields out, so reading asks for no more than who, when and what.
 */
export const turnTraceSchema = z.object({
  session_id: z.string().min(1),
  turn_index: z.number().int().nonnegative(),
  /** Epoch seconds at which the answer was asked for. */
  timestamp: z.number().nullable().default(null),
  model: z.string().nullable().default(null),
  provider: z.string().nullable().default(null),
  prompt_tokens: nothing.count,
  /** SHA-256 of the system prompt, hexadecimal: to tell duplicates, without the prompt itself. */
  system_prompt_hash: z.string().nullable().default(null),
  /** Only where the recorder was told to keep it, and only where a conversation begins with it. */
  system_prompt: z.string().optional(),
  /** What the agent answers to: new in this turn, or as in the turn before. */
  user_message: z.string().default(''),
  /** Messages of the conversation before the answer. */
  conversation_history_length: nothing.count,
  reasoning: z.string().nullable().default(null),
  tool_calls: z.array(tracedCallSchema).default([]),
  assistant_response: z.string(),
  completion_tokens: nothing.count,
  /** Of the whole session, at its last turn: what a person said of it. */
  user_feedback: z.string().nullable().default(null),
  /** Of the whole session, at its last turn: whether the environment found the task solved. */
  task_completed: z.boolean().nullable().default(null),
  /** Of the whole session, at its last turn. */
  reward: z.number().nullable().default(null),
});
export type TurnTrace = z.output<typeof turnTraceSchema>;
