import { z } from 'zod';
import { keys } from '../store/keys.js';
import { readRecord, writeRecord } from '../store/records/records.js';
import type { ArtifactStore } from '../store/store.js';
import { buildRunDocument, runSummarySchema } from './document.js';

/** Marks a run as closed. The figures are a convenience: readers recompute them from the rollouts. */
export const closedRunSchema = z.object({
  schemaVersion: z.literal(1),
  status: z.enum(['finished', 'cancelled']),
  summary: runSummarySchema,
});
export type ClosedRun = z.infer<typeof closedRunSchema>;

export async function writeSummary(
  store: ArtifactStore,
  runId: string,
  status: ClosedRun['status'],
): Promise<void> {
  const { summary } = await buildRunDocument(store, runId, status);
  await writeRecord(store, closedRunSchema, keys.summary(runId), { schemaVersion: 1, status, summary });
}

/** How a run ended; null while it is open. */
export async function readClosedRun(store: ArtifactStore, runId: string): Promise<ClosedRun | null> {
  return readRecord(store, closedRunSchema, keys.summary(runId));
}
