import { z } from 'zod';

const versioned = { schemaVersion: z.literal(1) };

/** What a trainer says of itself, as the original takes it. `batchSize` counts sequences. */
export const registrationSchema = z.object({
  wandbGroup: z.string(),
  wandbProject: z.string(),
  batchSize: z.number().int(),
  maxTokenLen: z.number().int(),
  checkpointDir: z.string(),
  saveCheckpointInterval: z.number().int(),
  startingStep: z.number().int(),
  numSteps: z.number().int(),
});
export type Registration = z.infer<typeof registrationSchema>;

/** What another producer says of itself. */
export const envSchema = z.object({
  maxTokenLength: z.number().int(),
  desiredName: z.string(),
  weight: z.number(),
  groupSize: z.number().int(),
  minBatchAllocation: z.number().nullable(),
});
export type Env = z.infer<typeof envSchema>;

/** Of a group of the run: the newest policy when it was queued, and the largest lag of its rollouts then. */
export const policyMarkSchema = z.object({ version: z.string().nullable(), lag: z.number().nullable() });
export type PolicyMark = z.infer<typeof policyMarkSchema>;

/** One `ScoredData` that waits; its content lies beside the log under its id. */
export const itemSchema = z.object({
  id: z.string(),
  /** Sequences in it. */
  size: z.number().int(),
  envId: z.number().int().nullable(),
  /** As its producer calls it; null where it does not say. */
  groupId: z.string().nullable(),
  policy: policyMarkSchema.nullable().default(null),
});
export type Item = z.infer<typeof itemSchema>;

/** Everything that happens at a listener, in the order in which it counts. */
export const listenerEventSchema = z.discriminatedUnion('kind', [
  z.object({
    ...versioned,
    kind: z.literal('registered'),
    /** 128 bits in decimal: more than a number of JavaScript holds. */
    uuid: z.string(),
    registration: registrationSchema,
    at: z.number(),
  }),
  /** The first `/batch` after a registration: from here on producers are let in. */
  z.object({ ...versioned, kind: z.literal('started'), at: z.number() }),
  z.object({ ...versioned, kind: z.literal('env_registered'), env: envSchema, at: z.number() }),
  z.object({ ...versioned, kind: z.literal('env_disconnected'), envId: z.number().int(), at: z.number() }),
  z.object({ ...versioned, kind: z.literal('queued'), items: z.array(itemSchema), at: z.number() }),
  /** Batch `batch` has these entries, each named by its first item. It may acknowledge the one before it. */
  z.object({
    ...versioned,
    kind: z.literal('issued'),
    batch: z.number().int(),
    entries: z.array(z.string()),
    acknowledges: z.number().int().nullable(),
    at: z.number(),
  }),
  z.object({ ...versioned, kind: z.literal('reissued'), batch: z.number().int(), at: z.number() }),
  z.object({ ...versioned, kind: z.literal('acknowledged'), batch: z.number().int(), at: z.number() }),
  z.object({ ...versioned, kind: z.literal('reset'), at: z.number() }),
]);
export type ListenerEvent = z.infer<typeof listenerEventSchema>;

/** What is handed out together: one item, or smaller ones that fill the group of their environment. */
export const entrySchema = z.object({
  items: z.array(itemSchema),
  size: z.number().int(),
  /** How often it has been handed out. */
  deliveries: z.number().int(),
});
export type Entry = z.infer<typeof entrySchema>;

/** What the events so far amount to. */
export const listenerStateSchema = z.object({
  registration: registrationSchema.nullable(),
  /** Counts the registrations: a new one makes unsure what the trainer before it had. */
  registrations: z.number().int(),
  started: z.boolean(),
  /** As the original counts: batches handed out, from the trainer's own start. */
  step: z.number().int(),
  /** Steps that the trainer has finished: batches acknowledged, from its own start. */
  trained: z.number().int(),
  /** The newest batch; they are numbered from 1, whatever is registered or reset. */
  batches: z.number().int(),
  acknowledged: z.number().int(),
  /** Items in acknowledged batches, and deliveries of items beyond their first. */
  itemsAcknowledged: z.number().int(),
  repeats: z.number().int(),
  envs: z.array(envSchema.extend({ connected: z.boolean() })),
  /** By environment: items of another size than its groups, waiting for others to fill one. */
  buffers: z.record(z.string(), z.array(itemSchema)),
  queue: z.array(entrySchema),
  outstanding: z
    .object({
      batch: z.number().int(),
      entries: z.array(entrySchema),
      deliveries: z.number().int(),
      /** Whether it is one of the steps of this registration: not before it is handed out under it. */
      counted: z.boolean().default(true),
    })
    .nullable(),
});
export type ListenerState = z.infer<typeof listenerStateSchema>;

/** The state after the first `events` events, so that a restart need not read them all. */
export const checkpointSchema = z.object({
  ...versioned,
  events: z.number().int(),
  state: listenerStateSchema,
});

/** Where the listener is, for people and for the command that started it. */
export const listenAddressSchema = z.object({ ...versioned, url: z.string(), at: z.number() });

/** A batch that went out once more; `n` = the how-manieth time. */
export const repeatSchema = z.object({
  ...versioned,
  batch: z.number().int(),
  n: z.number().int(),
  groups: z.array(z.string()),
  at: z.number(),
});
export type Repeat = z.infer<typeof repeatSchema>;
