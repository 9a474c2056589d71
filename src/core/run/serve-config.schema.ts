import { z } from 'zod';

export const SINKS = ['atropos', 'listen', 'tinker', 'jsonl'] as const;
export type SinkName = (typeof SINKS)[number];

/** Whose word counts for the version of the weights. */
export const POLICY_SOURCES = ['trainer', 'endpoint'] as const;

/** What the settings of a run say about feeding trainers; null in runs of other modes. */
export const serveConfigSchema = z.object({
  atropos: z.string().nullable().describe('Atropos server that groups are posted to, as a producer'),
  listen: z
    .object({ host: z.string(), port: z.number().int().min(0).max(65_535) })
    .nullable()
    .describe('Where the trainer API of our own listens'),
  tinker: z.string().nullable().describe('Folder for batches of Tinker datums, absolute'),
  jsonl: z.string().nullable().describe('Folder for rows of groups, absolute'),
  formats: z.array(z.string()).default(['atropos-group']).describe('Formats of the rows in that folder'),
  hostId: z.string().nullable().describe('The host that listens, and that has the folders'),
  tokenEnv: z
    .string()
    .nullable()
    .default(null)
    .describe('Environment variable that holds the token of the API'),
  policyOrigins: z
    .array(z.string())
    .nullable()
    .default(null)
    .describe(
      "Origins of inference endpoints that clients may name, beside the run's own; null = any, as before there was a list",
    ),
  maxQueue: z
    .number()
    .int()
    .min(0)
    .default(1_000)
    .describe('Groups that wait for a trainer, at most; 0 = none is made before a trainer has registered'),
  batchGroups: z.number().int().min(1).default(8).describe('Groups in a batch of Tinker datums'),
  maxBatchesOffpolicy: z
    .number()
    .int()
    .min(1)
    .default(3)
    .describe('Batches that may be queued or in the making ahead of the trainer'),
  weight: z.number().positive().default(1).describe('Weight of the environment at the Atropos server'),
  maxTokenLength: z
    .number()
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe('Longest training sequence; null = as the trainer says'),
  maxLag: z
    .number()
    .int()
    .min(0)
    .nullable()
    .default(null)
    .describe('Rollouts of a policy older than so many versions are masked; null = never'),
  policyVersions: z
    .enum(POLICY_SOURCES)
    .default('trainer')
    .describe('Who says which policy version sampled: the trainer, or the inference endpoint'),
  keepZeroVariance: z.boolean().default(false).describe('Groups of equal rewards are delivered, too'),
  shiftRollouts: z
    .number()
    .int()
    .min(1)
    .max(300)
    .default(300)
    .describe('Rollouts in a shift; a history holds one shift'),
  shiftsPerHistory: z
    .number()
    .int()
    .min(1)
    .default(50)
    .describe("The run's workflow continues as new after so many shifts, when none is open"),
});
export type ServeConfig = z.infer<typeof serveConfigSchema>;

/** The sinks that a run has, in this order. */
export function sinksOf(serve: ServeConfig): SinkName[] {
  return SINKS.filter((name) => serve[name] !== null);
}
