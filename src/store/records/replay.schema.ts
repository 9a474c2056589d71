import { z } from 'zod';

const versioned = { schemaVersion: z.literal(1) };

export const REPLAY_MODES = ['rerun', 'resume', 'verify', 'fork'] as const;
export type ReplayMode = (typeof REPLAY_MODES)[number];

/** The attempt that a replay starts from. */
export const replaySourceSchema = z.object({
  runId: z.string(),
  taskId: z.string(),
  sample: z.number().int(),
  attempt: z.number().int(),
});
export type ReplaySource = z.infer<typeof replaySourceSchema>;

/** The first recorded command whose output was another one when it was executed again. Turns count from 1. */
export const replayDifferenceSchema = z.object({
  step: z.string(),
  turn: z.number().int(),
  call: z.number().int(),
  tool: z.string(),
  recorded: z.string(),
  found: z.string(),
});
export type ReplayDifference = z.infer<typeof replayDifferenceSchema>;

/** Where an attempt comes from: which replay made it, of what, from which turn on. */
export const provenanceSchema = z.object({
  replayId: z.string(),
  mode: z.enum(REPLAY_MODES),
  /** Counts the new attempts that a replay makes of one rollout, from 1 (`--times`). */
  nth: z.number().int(),
  source: replaySourceSchema,
  /** Turns carried over from the source; null = from the start. */
  fromTurn: z.number().int().nullable(),
});
export type Provenance = z.infer<typeof provenanceSchema>;

/** Of an attempt that has ended: its provenance, and how the commands of its source went this time. */
export const replayedSchema = provenanceSchema.extend({
  /** How the source's state came about: by its commands, from a snapshot; null when nothing was carried over. */
  by: z.enum(['commands', 'snapshot']).nullable(),
  commands: z.number().int(),
  differences: z.number().int(),
  firstDifference: replayDifferenceSchema.nullable(),
});
export type Replayed = z.infer<typeof replayedSchema>;

/** What was asked for, in the words of the command line; the same request finds its open replay again. */
export const replayRequestSchema = z.object({
  mode: z.enum(REPLAY_MODES),
  failed: z.boolean(),
  stopReasons: z.array(z.string()),
  tasks: z.array(z.string()),
  rollouts: z.array(z.string()),
  includeSealed: z.boolean(),
  fromTurn: z.number().int().nullable(),
  times: z.number().int(),
});
export type ReplayRequest = z.infer<typeof replayRequestSchema>;

/** One new attempt to be made. */
export const replayMemberSchema = z.object({
  taskId: z.string(),
  sample: z.number().int(),
  nth: z.number().int(),
  sourceAttempt: z.number().int(),
  fromTurn: z.number().int().nullable(),
});
export type ReplayMember = z.infer<typeof replayMemberSchema>;

/** One replay of a run: what was asked for, by whom, and the attempts that it makes. Put once. */
export const replayRecordSchema = z.object({
  ...versioned,
  replayId: z.string(),
  runId: z.string(),
  request: replayRequestSchema,
  /** Of `fork`: the run that holds the continuations. */
  forkRunId: z.string().nullable(),
  members: z.array(replayMemberSchema),
  createdBy: z.string(),
  createdAt: z.number(),
});
export type ReplayRecord = z.infer<typeof replayRecordSchema>;

/** Put when every member of a replay has its result, or when it was cancelled. */
export const closedReplaySchema = z.object({
  ...versioned,
  status: z.enum(['finished', 'cancelled']),
  closedAt: z.number(),
});
export type ClosedReplay = z.infer<typeof closedReplaySchema>;

/** One start of a replay's workflow; a later one fences off whatever an earlier one left acting. */
export const replayStartSchema = z.object({ ...versioned, start: z.number().int(), startedAt: z.number() });

/** Takes the number of an attempt for a replay, before anything of it exists. */
export const replayClaimSchema = z.object({ ...versioned, ...provenanceSchema.shape });

/** Of a rollout of a forked run: the turn that it goes on from. */
export const forkOriginSchema = z.object({
  ...versioned,
  ...provenanceSchema.shape,
  /** The sample that brings the sandbox to that turn; the others start from its snapshot. */
  leader: z.number().int(),
});
export type ForkOrigin = z.infer<typeof forkOriginSchema>;

/** The file system of a sandbox as it was when the agent's part of a step ended, or at the turn of a fork. */
export const snapshotRecordSchema = z.object({
  ...versioned,
  driver: z.string(),
  /** The host that has it; null = its files are in the store. */
  hostId: z.string().nullable(),
  image: z.string(),
  files: z.object({ sha256: z.string(), bytes: z.number() }).nullable(),
  /** What differed from the task's image: a sandbox made from a snapshot cannot tell by itself. Null: not known. */
  changed: z.array(z.object({ path: z.string(), kind: z.enum(['added', 'modified', 'deleted']) })).nullable(),
  createdAt: z.number(),
});
export type SnapshotRecord = z.infer<typeof snapshotRecordSchema>;

export const RESOLUTIONS = ['accepted', 'rejected', 'terminal'] as const;

/** What a person decided on a rollout that needed review. Append-only; speaks of one attempt. */
export const resolutionSchema = z.object({
  ...versioned,
  attempt: z.number().int(),
  as: z.enum(RESOLUTIONS),
  note: z.string().nullable(),
  by: z.string(),
  at: z.number(),
});
export type Resolution = z.infer<typeof resolutionSchema>;
