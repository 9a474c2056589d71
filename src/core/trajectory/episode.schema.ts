import { z } from 'zod';
import { STOP_REASONS } from '../rollout/outcome.js';
import { rewardSignalSchema } from './reward-signal.schema.js';
import { trajectorySchema } from './trajectory.schema.js';

/** Where an episode comes from, in the words of the closed-loop article. */
export const EPISODE_SOURCES = ['cron', 'environment', 'record', 'batch'] as const;

/** What is known of one tool result besides its text. */
export const episodeResultSchema = z.object({
  toolCallId: z.string(),
  success: z.boolean(),
  error: z.string().nullable(),
  exitCode: z.number().nullable(),
  durationMs: z.number().nullable(),
});

/** What is known of one turn besides its messages. Times are epoch milliseconds, money US dollars. */
export const episodeTurnSchema = z.object({
  /** Step of the task, from 0. */
  step: z.number().int().default(0),
  model: z.string().nullable().default(null),
  requestId: z.string().nullable().default(null),
  finishReason: z.string().nullable().default(null),
  usage: z
    .object({ promptTokens: z.number(), cachedTokens: z.number(), completionTokens: z.number() })
    .nullable()
    .default(null),
  costUsd: z.number().nullable().default(null),
  startedAt: z.number().nullable().default(null),
  latencyMs: z.number().nullable().default(null),
  /** As sampled: the whole prompt, what was sampled after it, and a log-probability for each of those. */
  promptTokenIds: z.array(z.number()).nullable().default(null),
  completionTokenIds: z.array(z.number()).nullable().default(null),
  logprobs: z.array(z.number()).nullable().default(null),
  policyVersion: z.string().nullable().default(null),
  /** Tinker's id of the sampled sequence. */
  sequenceId: z.string().nullable().default(null),
  /** Stays in its sequence as context and is not trained: sampled by a policy that is too old. */
  masked: z.boolean().optional(),
  sentView: z.record(z.string(), z.unknown()).nullable().default(null),
  /** In the order of the turn's calls. */
  results: z.array(episodeResultSchema).default([]),
});
export type EpisodeTurn = z.infer<typeof episodeTurnSchema>;

export const compressionSchema = z.object({
  originalTokens: z.number(),
  compressedTokens: z.number(),
  /** The turns that the summary stands for, from 0, both included; null where nothing was replaced. */
  summarisedTurns: z.tuple([z.number().int(), z.number().int()]).nullable(),
  summary: z.enum(['model', 'extractive']).nullable(),
  stillOverLimit: z.boolean(),
  /** Why the row is as it was. */
  failed: z.string().nullable(),
  /** For each timestep that is left, its turn in the original, from 0. */
  keptTurns: z.array(z.number().int()).default([]),
  /** Those of the original that must not go: writes, the last test run, errors that were fixed, the end. */
  keyTurns: z.array(z.number().int()).default([]),
  originalTurns: z.number().int().nullable().default(null),
  /** The row that this one was made of, by the SHA-256 of its line. */
  original: z.object({ digest: z.string(), sessionId: z.string() }).nullable().default(null),
});
export type Compression = z.infer<typeof compressionSchema>;

/**
 * One rollout with everything that the exchange formats may want of it: agoge's trajectory, and
 * beside it what agoge has no place for. It is what the `traj` commands read, pass on and write, one
 * a line (format `longrun`); every other format is a view of it.
 */
export const episodeSchema = z.object({
  schemaVersion: z.literal(1),
  /** Fit for file names: `<run>__<task>__<sample>`. */
  sessionId: z.string(),
  rollout: z
    .object({
      runId: z.string(),
      taskId: z.string(),
      sample: z.number().int(),
      attempt: z.number().int(),
    })
    .nullable()
    .default(null),
  /** Rollouts of one task that share a baseline. */
  groupId: z.string().nullable().default(null),
  source: z.enum(EPISODE_SOURCES).default('record'),
  environment: z.string().nullable().default(null),
  category: z.string().nullable().default(null),
  model: z.string().nullable().default(null),
  provider: z.string().nullable().default(null),
  /** At which the turns were sampled; null = the endpoint's own. Trainers divide logits by it. */
  temperature: z.number().nullable().optional(),
  /** Who acted: ours, or the tool that a row was imported from. */
  agent: z.object({ name: z.string(), version: z.string() }).optional(),
  startedAt: z.number().nullable().default(null),
  finishedAt: z.number().nullable().default(null),
  trajectory: trajectorySchema,
  /** One per timestep of the trajectory. */
  turns: z.array(episodeTurnSchema),
  outcome: z.object({
    stopReason: z.enum(STOP_REASONS).nullable(),
    /** Stop reason `natural`. */
    completed: z.boolean(),
    /** Whether the environment found the task solved: its reward reached the run's threshold. */
    passed: z.boolean().nullable().optional(),
    status: z.enum(['success', 'retryable_failure', 'terminal_failure', 'needs_human_review']).nullable(),
    failureClass: z.enum(['agent', 'infrastructure', 'operator']).nullable(),
    failure: z.object({ code: z.string(), message: z.string() }).nullable(),
    /** Model calls, failed and lost ones counted. */
    apiCalls: z.number().int(),
    attempts: z.number().int(),
    suspectedTampering: z.array(z.string()),
  }),
  rewards: z.array(rewardSignalSchema).default([]),
  /** The row's own fields. */
  metadata: z.record(z.string(), z.unknown()).default({}),
  compressed: compressionSchema.nullable().default(null),
  /** Whose tokenizer made the ids, where they were not sampled. */
  tokenizedBy: z.string().nullable().default(null),
  imported: z
    .object({ format: z.string(), file: z.string(), line: z.number().int() })
    .nullable()
    .default(null),
});
export type Episode = z.infer<typeof episodeSchema>;
