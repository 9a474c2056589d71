import { z } from 'zod';

/**
 * `sending`: an effect on the peer may have begun. `sent`: the peer has it, and may lose it. `in_doubt`: nobody
 * answered. `confirmed`: it cannot be lost any more. `parked`: the peer refuses it as it is. `skipped`: it goes to no
 * trainer (zero variance, not valid, nothing to train).
 */
export const DELIVERY_STATES = [
  'pending',
  'sending',
  'sent',
  'in_doubt',
  'confirmed',
  'parked',
  'skipped',
] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** What became of one group at one sink; replaced as it goes on. */
export const deliverySchema = z.object({
  schemaVersion: z.literal(1),
  groupId: z.string(),
  state: z.enum(DELIVERY_STATES),
  /** For people: why it is parked or skipped, or sent again; null = nothing to say. */
  reason: z.string().nullable().default(null),
  /** How often it was sent. */
  attempts: z.number().int().default(0),
  /** Members that are masked because their policy is too old. */
  masked: z.number().int().default(0),
  /** When it was begun, and when it was last changed. */
  firstAt: z.number(),
  at: z.number(),
  /** What the sink has to remember. */
  details: z.record(z.string(), z.unknown()).default({}),
});
export type Delivery = z.infer<typeof deliverySchema>;
