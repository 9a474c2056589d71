import { z } from 'zod';
import { RUN_MODES } from '../../core/ids.js';
import { renderingSchema } from '../../core/model/rendering.schema.js';
import { STOP_REASONS } from '../../core/rollout/outcome.js';
import { runConfigSchema } from '../../core/run/run-config.schema.js';
import { replayedSchema } from './replay.schema.js';

/**
 * Every record in the artifact store, camel case in memory and snake case on disk
 * (`encodeRecord` and `decodeRecord` in `wire.ts` convert by the schema).
 * Times are epoch milliseconds, durations milliseconds, money US dollars.
 */
export const usageSchema = z.object({
  promptTokens: z.number(),
  cachedTokens: z.number(),
  completionTokens: z.number(),
});

export const failureSchema = z.object({
  code: z.string(),
  message: z.string(),
  retryable: z.boolean(),
  hint: z.string().nullable(),
});

export const fenceSchema = z.object({
  incarnation: z.number(),
  slice: z.number(),
  activityAttempt: z.number(),
});

const versioned = { schemaVersion: z.literal(1) };

/** The identity of an artifact store. */
export const installationSchema = z.object({
  ...versioned,
  clusterId: z.string(),
});

/** One more life of a run's workflows, after `runs recover`. */
export const incarnationSchema = z.object({
  ...versioned,
  incarnation: z.number().int(),
  raisedAt: z.number(),
});

/** Of a run that holds one group which somebody asked a serving run's API for. */
export const requestedBySchema = z.object({
  /** The run that serves. */
  runId: z.string(),
  /** The weights that answer, as the request or the trainer said; null = as the endpoint says. */
  policyVersion: z.string().nullable(),
});

export const runRecordSchema = z.object({
  ...versioned,
  runId: z.string(),
  mode: z.enum(RUN_MODES),
  environment: z.object({ name: z.string(), source: z.string() }),
  config: runConfigSchema,
  createdAt: z.number(),
  longrunVersion: z.string(),
  requestedBy: requestedBySchema.nullable().optional(),
});
export type RunRecord = z.infer<typeof runRecordSchema>;

export const planSchema = z.object({
  ...versioned,
  tasks: z.array(z.object({ taskId: z.string(), samples: z.number().int() })),
});
export type Plan = z.infer<typeof planSchema>;

/** Put once per (rollout, attempt): the sandbox that counts. A loser destroys its own. */
export const placementSchema = z.object({
  ...versioned,
  hostId: z.string(),
  sandbox: z.object({ driver: z.string(), id: z.string() }),
  image: z.string(),
  createdAt: z.number(),
  provisionMs: z.number(),
  /** Made from the snapshot of the attempt that a replay starts from, instead of the task's image. */
  fromSnapshot: z.boolean().default(false),
});
export type Placement = z.infer<typeof placementSchema>;

/** Put before a model call: what it may cost at most. An intent without an answer at takeover is a lost call. */
export const callIntentSchema = z.object({
  ...versioned,
  callId: z.string(),
  fence: fenceSchema,
  maxPromptTokens: z.number(),
  maxCompletionTokens: z.number(),
  maxCostUsd: z.number().nullable(),
  startedAt: z.number(),
});
export type CallIntent = z.infer<typeof callIntentSchema>;

/** A call without a usable answer: failed (the endpoint said so, or the stream was cut) or lost (its executor died). */
export const callFailureSchema = z.object({
  ...versioned,
  callId: z.string(),
  kind: z.enum(['failed', 'lost']),
  code: z.string(),
  message: z.string(),
  usage: usageSchema,
  costUsd: z.number().nullable(),
  latencyMs: z.number(),
  endedAt: z.number(),
});
export type CallFailure = z.infer<typeof callFailureSchema>;

export const toolCallSchema = z.object({
  id: z.string(),
  name: z.string(),
  arguments: z.string(),
});

/** What was read out of an answer's text, where the endpoint gave no calls of its own. */
export const parsedAnswerSchema = z.object({
  family: z.string(),
  mismatch: z.object({ asked: z.string(), found: z.string() }).nullable(),
  /** The content as it was said; null = the message has it unchanged. */
  rawContent: z.string().nullable(),
  /** As many as the message has calls, in their order. */
  calls: z.array(
    z.object({
      nativeId: z.string().nullable(),
      repairs: z.array(z.object({ kind: z.string(), detail: z.string() })),
    }),
  ),
  /** `offset` of `raw` in the content as it was said. */
  failures: z.array(z.object({ code: z.string(), message: z.string(), raw: z.string(), offset: z.number() })),
  notices: z.array(z.string()),
});
export type ParsedAnswer = z.infer<typeof parsedAnswerSchema>;

/** The answer to the one model call of a turn that counts. Put once; never sampled again. */
export const callRecordSchema = z.object({
  ...versioned,
  callId: z.string(),
  /** Position of the call within its turn's intents. */
  model: z.string(),
  requestId: z.string().nullable(),
  finishReason: z.string(),
  message: z.object({
    content: z.string(),
    reasoning: z.string().nullable(),
    toolCalls: z.array(toolCallSchema),
  }),
  usage: usageSchema,
  costUsd: z.number().nullable(),
  latencyMs: z.number(),
  startedAt: z.number(),
  promptTokenIds: z.array(z.number()).nullable(),
  completionTokenIds: z.array(z.number()).nullable(),
  logprobs: z.array(z.number()).nullable(),
  /** Tinker's id of the sampled sequence. */
  sequenceId: z.string().nullable().default(null),
  /** Which weights answered, where the endpoint said so. */
  policyVersion: z.string().nullable().default(null),
  /** How the prompt was made, where ids were sent instead of messages. */
  rendering: renderingSchema.nullable().default(null),
  /** What was sent, when that was not the whole conversation: which turns, or a summary. */
  sentView: z.record(z.string(), z.unknown()).nullable(),
  /** How the text was read, where it was searched for calls. */
  parsed: parsedAnswerSchema.nullable().default(null),
  /** Copied from the attempt that a replay started from: it was paid for there. */
  carried: z.literal(true).optional(),
});
export type CallRecord = z.infer<typeof callRecordSchema>;

/** A recorded summary of the turns through `throughTurn`, made by a model call of its own. */
export const summaryRecordSchema = z.object({
  ...versioned,
  throughTurn: z.number().int(),
  call: callRecordSchema,
});
export type SummaryRecord = z.infer<typeof summaryRecordSchema>;

/** The journal of one command: put after the engine's exec object exists and before it is started. */
export const execRecordSchema = z.object({
  ...versioned,
  execId: z.string(),
  /** What the tool wants to remember between planning and reading the outcome. */
  note: z.unknown(),
  timeoutMs: z.number(),
  createdAt: z.number(),
});
export type ExecRecord = z.infer<typeof execRecordSchema>;

export const toolResultSchema = z.object({
  ...versioned,
  toolCallId: z.string(),
  name: z.string(),
  content: z.string(),
  success: z.boolean(),
  /** `unknown_tool`, `bad_arguments`, `timeout`, `outcome_unknown`, `failed`; null on success. */
  error: z.string().nullable(),
  exitCode: z.number().nullable(),
  durationMs: z.number(),
  startedAt: z.number(),
});
export type ToolResult = z.infer<typeof toolResultSchema>;

/** How the reference solution of a step went, for the agent `oracle`. */
export const oracleRunSchema = z.object({
  ...versioned,
  step: z.string(),
  /** Null when it was killed or its status is unknown. */
  exitCode: z.number().nullable(),
  output: z.string(),
  durationMs: z.number(),
});
export type OracleRun = z.infer<typeof oracleRunSchema>;

/** How the agent's part of a step ended. */
export const agentEndSchema = z.object({
  ...versioned,
  stopReason: z.enum(STOP_REASONS),
  failure: failureSchema.nullable(),
  turns: z.number().int(),
  activeMs: z.number(),
  endedAt: z.number(),
});
export type AgentEnd = z.infer<typeof agentEndSchema>;

/**
 * What of the agent's sandbox a score relies on though the agent could have bent it: none where its tests ran apart from
 * it, or as a user that it had no power over. Null in records of versions that did not say.
 */
const trustedSchema = z
  .array(z.enum(['files', 'processes']))
  .nullable()
  .default(null);

/** What the verifier of one step found. */
export const verdictSchema = z.object({
  ...versioned,
  step: z.string(),
  reward: z.number().nullable(),
  rewards: z.record(z.string(), z.number()),
  /** Its environment scores nothing: no reward is no failure. */
  unscored: z.boolean().optional(),
  isolation: z.enum(['shared', 'restarted', 'separate']),
  failure: failureSchema.nullable(),
  stopReason: z.enum(['verifier_error', 'verifier_timeout', 'sandbox_lost']).nullable(),
  suspectedTampering: z.array(z.string()),
  trusted: trustedSchema,
  testOutput: z.string(),
  durationMs: z.number(),
  verifiedAt: z.number(),
});
export type Verdict = z.infer<typeof verdictSchema>;

export const timingsSchema = z.object({
  startedAt: z.number(),
  finishedAt: z.number(),
  /** Milliseconds of each phase of the attempt that counts; null where it was not reached. */
  provisionMs: z.number().nullable(),
  agentMs: z.number().nullable(),
  modelMs: z.number().nullable(),
  toolsMs: z.number().nullable(),
  verifyMs: z.number().nullable(),
});

/** Put once per step at level `separate`: the fresh sandbox that the tests run in. */
export const verifierSandboxSchema = z.object({
  ...versioned,
  sandbox: z.object({ driver: z.string(), id: z.string() }),
});
export type VerifierSandbox = z.infer<typeof verifierSandboxSchema>;

/** What became of one attempt. Append-only. */
export const attemptRecordSchema = z.object({
  ...versioned,
  attempt: z.number().int(),
  stopReason: z.enum(STOP_REASONS),
  failure: failureSchema.nullable(),
  reward: z.number().nullable(),
  rewards: z.record(z.string(), z.number()),
  steps: z.array(
    z.object({
      name: z.string(),
      reward: z.number().nullable(),
      stopReason: z.enum(STOP_REASONS),
    }),
  ),
  turns: z.number().int(),
  lostCalls: z.number().int(),
  failedCalls: z.number().int(),
  usage: usageSchema,
  costUsd: z.number().nullable(),
  timings: timingsSchema,
  hostId: z.string().nullable(),
  isolation: z.string().nullable(),
  suspectedTampering: z.array(z.string()),
  trusted: trustedSchema,
  /** The weights that gave its first answer, where the endpoint said so. */
  policyVersion: z.string().nullable().default(null),
  /** Of an attempt that a replay made. */
  replay: replayedSchema.nullable().default(null),
});
export type AttemptRecord = z.infer<typeof attemptRecordSchema>;

/** The one result of a rollout: names the attempt that counts. Put once, for every outcome. */
export const rolloutResultSchema = z.object({
  ...versioned,
  rolloutId: z.string(),
  taskId: z.string(),
  sample: z.number().int(),
  attempt: z.number().int(),
  attempts: z.number().int(),
  reward: z.number().nullable(),
  rewards: z.record(z.string(), z.number()),
  stopReason: z.enum(STOP_REASONS),
  failureClass: z.enum(['agent', 'infrastructure', 'operator']),
  failure: failureSchema.nullable(),
  queueState: z.enum(['success', 'retryable_failure', 'terminal_failure', 'needs_human_review']),
  turns: z.number().int(),
  lostCalls: z.number().int(),
  failedCalls: z.number().int(),
  /** Over all attempts: what the rollout cost, not only the attempt that counts. */
  usage: usageSchema,
  costUsd: z.number().nullable(),
  timings: timingsSchema,
  isolation: z.string().nullable(),
  suspectedTampering: z.array(z.string()),
  trusted: trustedSchema,
  model: z.string().nullable(),
  policyVersion: z.string().nullable(),
  category: z.string().nullable(),
  /** Of a result that a replay brought about: of its own attempts only, until it is the one that counts. */
  replay: replayedSchema.nullable().default(null),
});
export type RolloutResult = z.infer<typeof rolloutResultSchema>;
