import { z } from 'zod';
import { groupConfigFields as run } from '../core/group/group-config.schema.js';
import { settingsSchema } from './settings.schema.js';

/** What `longrun process` and `longrun serve` take about groups. `group_budget_*` are in the settings of every run. */
export const groupSettings = {
  groups: run.groups.describe('Groups of the whole run, tasks in turn; by default one per task'),
  groupSize: z
    .int()
    .min(1)
    .max(1_000)
    .default(8)
    .describe('Rollouts of one task that share a baseline, with different seeds'),
  estimator: run.estimator.describe('How advantages are estimated'),
  groupPolicy: run.groupPolicy.describe(
    'Which groups go to trainers: those of which all members have a score (complete), or at least min_valid of them (min-valid)',
  ),
  minValid: run.minValid.describe('For min-valid: scored members that a group needs'),
  groupDeadlineMs: run.groupDeadlineMs.describe(
    'For min-valid: milliseconds that a group with enough scored members waits for the others, which are then cancelled; by default it waits for all. Counted from the score that made it enough; stands still while the run is paused',
  ),
  deadGroups: run.deadGroups.describe(
    'Pause the run after so many groups in a row without a single scored member',
  ),
  gamma: run.gamma.describe('Discount of returns, per step'),
  tokenPenalty: run.tokenPenalty.describe(
    "Length shaping: share of a group's mean reward that the member with the most sampled tokens loses",
  ),
  turnPenalty: run.turnPenalty.describe(
    "Length shaping: share of a group's mean reward that the member with the most turns loses",
  ),
};

/** Every setting of `longrun process`. */
export const processSettingsSchema = settingsSchema
  .extend(groupSettings)
  .omit({ samples: true, failUnder: true });
export type ProcessSettings = z.infer<typeof processSettingsSchema>;
export type ProcessSettingName = keyof ProcessSettings;
