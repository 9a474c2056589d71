import { z } from 'zod';

/** Put by an executor of a sink when it begins: whoever has the newest claim acts. */
export const claimSchema = z.object({
  schemaVersion: z.literal(1),
  /** Of the run's workflows: an executor of an earlier one gives way for good. */
  incarnation: z.number().int(),
  hostId: z.string(),
  at: z.number(),
});
export type Claim = z.infer<typeof claimSchema>;
