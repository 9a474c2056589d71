import { z } from 'zod';
import { deliverySchema } from '../host/delivery.schema.js';

const versioned = { schemaVersion: z.literal(1) };

/** What the server had of ours before a post, by which it is told later whether that arrived. */
export const snapshotSchema = z.object({
  step: z.number().int(),
  own: z.number().int(),
  /** Nobody else seems to produce for this trainer. */
  alone: z.boolean(),
});
export type Snapshot = z.infer<typeof snapshotSchema>;

/**
 * `sending`: it may have arrived. `queued`: it waits at the server. `taken`: it is in a batch, which dies with the
 * server's memory until the trainer has it. `confirmed`: the step rose once more, for which every batch formed
 * before must have been handed out.
 */
export const itemSchema = z.object({
  state: z.enum(['pending', 'sending', 'queued', 'taken', 'confirmed']),
  /** How often it was sent. */
  attempts: z.number().int(),
  /** The step at which it was seen off the queue. */
  takenAt: z.number().int().nullable(),
  /** An earlier attempt may have reached the trainer, so that it gets it twice. */
  resent: z.boolean(),
});
export type Item = z.infer<typeof itemSchema>;

/** What became of a group: a group is one item, or several where prompts were rewritten. */
export const atroposDeliverySchema = deliverySchema.extend({
  details: z.object({
    /** Which registration its items were sent under; null = none was sent. */
    registration: z.number().int().nullable().default(null),
    items: z.array(itemSchema).default([]),
    /** Of the item that is being sent. */
    before: snapshotSchema.nullable().default(null),
    /** Sequences that no trainer gets, and why. */
    leftOut: z
      .array(
        z.object({
          sample: z.number().int(),
          sequence: z.number().int().nullable(),
          code: z.string(),
          reason: z.string(),
        }),
      )
      .default([]),
  }),
});
export type AtroposDelivery = z.infer<typeof atroposDeliverySchema>;

/** A registration at a server, which keeps it in its memory alone; a log of the sink. */
export const registrationSchema = z.object({
  ...versioned,
  envId: z.number().int(),
  wandbName: z.string().nullable(),
  /** In sequences. */
  batchSize: z.number().int(),
  /** Sequences of so many ids are too long; null = no limit. */
  maxTokenLength: z.number().int().nullable(),
  startingStep: z.number().int(),
  /** Null = the trainer has no end. */
  numSteps: z.number().int().nullable(),
  checkpointDir: z.string().nullable(),
  checkpointInterval: z.number().nullable(),
  at: z.number(),
});
export type Registration = z.infer<typeof registrationSchema>;

/** What is known of the server under the newest registration. */
export const standingSchema = z.object({
  ...versioned,
  registration: z.number().int(),
  step: z.number().int(),
  /** Items in its queue that were sent and taken for lost. */
  strays: z.number().int(),
  /** Items that were taken for lost and may turn up yet. */
  late: z.number().int(),
  /** How often the server was asked whether it knows this registration, since it last said so. */
  asked: z.number().int().default(0),
  /** The server has forgotten it: what it had is sent again under the next one. */
  lost: z.boolean(),
  disconnected: z.boolean(),
});
export type Standing = z.infer<typeof standingSchema>;
