import { z } from 'zod';
import { ESTIMATORS, type EstimatorName } from '../advantage/index.js';

export const GROUP_POLICIES = ['complete', 'min-valid'] as const;
export const ESTIMATOR_NAMES = Object.keys(ESTIMATORS) as [EstimatorName, ...EstimatorName[]];

/** What the settings of a run say about groups; the defaults are what runs have whose rollouts stand alone. */
export const groupConfigFields = {
  groupSize: z
    .number()
    .int()
    .min(1)
    .max(1_000)
    .nullable()
    .default(null)
    .describe('Members of a group; null = rollouts stand alone'),
  groups: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .nullable()
    .default(null)
    .describe('Groups of the whole run, tasks in turn; null = one per task'),
  estimator: z.enum(ESTIMATOR_NAMES).default('grpo').describe('How advantages are estimated'),
  groupPolicy: z
    .enum(GROUP_POLICIES)
    .default('complete')
    .describe('Which groups are valid: all members scored, or at least min_valid of them'),
  minValid: z
    .number()
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe('min-valid: scored members that a group needs'),
  groupDeadlineMs: z
    .number()
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe('min-valid: how long a group that has enough scored members waits for the others, in ms'),
  deadGroups: z
    .number()
    .int()
    .min(1)
    .nullable()
    .default(10)
    .describe('Groups in a row without any scored member that pause the run; null = never'),
  gamma: z.number().min(0).max(1).default(1).describe('Discount of returns, per step'),
  tokenPenalty: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe("Share of a group's mean reward that the member with the most sampled tokens loses"),
  turnPenalty: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe("Share of a group's mean reward that the member with the most turns loses"),
};

export const groupConfigSchema = z.object(groupConfigFields);
export type GroupConfig = z.infer<typeof groupConfigSchema>;
