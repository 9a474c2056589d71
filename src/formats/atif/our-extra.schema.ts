import { z } from 'zod';
import { STOP_REASONS } from '../../core/rollout/outcome.js';
import { EPISODE_SOURCES } from '../../core/trajectory/episode.schema.js';
import { rewardSignalSchema } from '../../core/trajectory/reward-signal.schema.js';

const text = z.string().nullable().default(null).catch(null);
const count = z.number().int().nullable().default(null).catch(null);
const truth = z.boolean().nullable().default(null).catch(null);

/** What `atifFormat` puts into the root's `extra`. Of another tool's file nothing of it need be there, nor mean the same. */
const ourExtraSchema = z.object({
  run_id: text,
  task_id: text,
  sample: count,
  attempt: count,
  group_id: text,
  source: z.enum(EPISODE_SOURCES).default('record').catch('record'),
  environment: text,
  category: text,
  provider: text,
  stop_reason: z.enum(STOP_REASONS).nullable().default(null).catch(null),
  completed: truth,
  passed: truth,
  status: z
    .enum(['success', 'retryable_failure', 'terminal_failure', 'needs_human_review'])
    .nullable()
    .default(null)
    .catch(null),
  failure_class: z.enum(['agent', 'infrastructure', 'operator']).nullable().default(null).catch(null),
  failure: z.object({ code: z.string(), message: z.string() }).nullable().default(null).catch(null),
  api_calls: count,
  attempts: count,
  suspected_tampering: z.array(z.string()).default([]).catch([]),
  rewards: z.array(rewardSignalSchema).default([]).catch([]),
});
export type OurExtra = z.output<typeof ourExtraSchema>;

/** Never throws: a member of another shape counts as absent. */
export const ourExtra = (extra: unknown): OurExtra => ourExtraSchema.parse(extra ?? {});

const OURS = new Set([...Object.keys(ourExtraSchema.shape), 'reward', 'compressed']);

/** The members that are another tool's. */
export function foreignExtra(extra: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(extra).filter(([name]) => !OURS.has(name)));
}
