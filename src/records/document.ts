import { z } from 'zod';
import type { EndpointView } from '../core/endpoint/messages.js';
import { PAUSE_REASONS, type PauseReason } from '../core/run/pause-reason.js';
import { keys } from '../store/keys.js';
import { rolloutResultSchema, runRecordSchema, usageSchema } from '../store/records/records.schema.js';
import { resolutionSchema } from '../store/records/replay.schema.js';
import { readPlan, readResults, readRun, readTask } from '../store/runs.js';
import type { ArtifactStore } from '../store/store.js';
import { readLaterChanges } from './later-changes.js';
import type { Serving } from './serving.js';
import { summariseRun } from './summarise.js';
import type { RunDocument } from './summary.js';

const estimateSchema = z.object({
  estimate: z.number().nullable(),
  interval: z.object({ low: z.number(), high: z.number() }).nullable(),
  tasks: z.number().int(),
  tasksLeftOut: z.number().int(),
});

export const runSummarySchema = z.object({
  nRollouts: z.number().int(),
  nScored: z.number().int(),
  nInfrastructure: z.number().int(),
  nCancelled: z.number().int(),
  nOpen: z.number().int(),
  nPassed: z.number().int(),
  meanReward: z.number().nullable(),
  meanRewardWithFailures: z.number().nullable(),
  passAt: z.record(z.string(), estimateSchema),
  categories: z.array(
    z.object({
      category: z.string(),
      tasks: z.number().int(),
      nScored: z.number().int(),
      meanReward: z.number().nullable(),
      passAt1: z.number().nullable(),
    }),
  ),
  stopReasons: z.record(z.string(), z.number().int()),
  usage: usageSchema,
  costUsd: z.number().nullable(),
  suspectedTampering: z.number().int(),
  scripted: z.boolean(),
});

const endpointViewSchema = z.object({
  baseUrl: z.string(),
  processes: z.number().int(),
  concurrency: z.number().int(),
  inFlight: z.number().int(),
  waiting: z.number().int(),
  requestsPerMinute: z.number().nullable(),
  tokensPerMinute: z.number().nullable(),
  requestsLastMinute: z.number().int(),
  tokensLastMinute: z.number().int(),
  coolingDownUntil: z.number().nullable(),
  downSince: z.number().nullable(),
  refusedShare: z.number().nullable(),
  at: z.number(),
}) satisfies z.ZodType<EndpointView>;

const servingSchema = z.object({
  shifts: z.number().int(),
  groups: z.number().int(),
  closed: z.number().int(),
  sinks: z.array(
    z.object({
      name: z.string(),
      queued: z.number().nullable(),
      delivered: z.number(),
      parked: z.number(),
      skipped: z.number(),
      masked: z.number(),
      policyVersion: z.string().nullable(),
      lag: z.number().nullable(),
      note: z.string().nullable(),
    }),
  ),
}) satisfies z.ZodType<Serving>;

/** The document of `runs show --json` and `evaluate --json`; `toWire` writes it in snake case. */
export const runDocumentSchema = z.object({
  run: runRecordSchema.extend({
    status: z.string(),
    /** Why it is paused: `person` or the budget that is spent. */
    pauseReason: z.enum(PAUSE_REASONS).nullable().default(null),
    /** More about that, in words. */
    pauseDetail: z.string().nullable().optional(),
    location: z.string(),
  }),
  summary: runSummarySchema,
  rollouts: z.array(rolloutResultSchema),
  replays: z.array(rolloutResultSchema).optional(),
  reviews: z.array(z.object({ rolloutId: z.string(), resolution: resolutionSchema })).optional(),
  endpoint: endpointViewSchema.optional(),
  serving: servingSchema.optional(),
}) satisfies z.ZodType<RunDocument>;

/** Reads all of a run and sums it up afresh. `status` is what the cluster, or the caller, says of the run. */
export async function buildRunDocument(
  store: ArtifactStore,
  runId: string,
  status: string,
  pauseReason: PauseReason | null = null,
  pauseDetail: string | null = null,
): Promise<RunDocument> {
  const run = await readRun(store, runId);
  const plan = await readPlan(store, runId);
  const rollouts = await readResults(store, runId, plan);
  const categories = new Map(rollouts.map((result) => [result.taskId, result.category]));
  for (const { taskId } of plan.tasks) {
    if (!categories.has(taskId))
      categories.set(taskId, (await readTask(store, runId, taskId)).metadata.category);
  }
  const summary = summariseRun(run, plan, rollouts, categories);
  return {
    ...(await readLaterChanges(store, runId, rollouts)),
    run: {
      ...run,
      status,
      pauseReason,
      ...(pauseDetail === null ? {} : { pauseDetail }),
      location: store.locate(`${keys.runs}/${runId}`),
    },
    summary,
    rollouts,
  };
}
