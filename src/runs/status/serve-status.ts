import { sinksOf } from '../../core/run/serve-config.schema.js';
import type { Serving } from '../../records/serving.js';
import type { RunDocument } from '../../records/summary.js';
import { readSinkStatus } from '../../sinks/sink-status.js';
import { AppendLog } from '../../store/append-log.js';
import { keys } from '../../store/keys.js';
import type { RunRecord } from '../../store/records/records.schema.js';
import { feedEntrySchema } from '../../store/records/serve.schema.js';
import { groupsSoFar, shiftLog } from '../../store/shifts.js';
import type { ArtifactStore } from '../../store/store.js';

/** How far a run that serves has come, in a few reads, whatever its length; null for runs of other modes. */
export async function readServeStatus(store: ArtifactStore, run: RunRecord): Promise<Serving | null> {
  const { serve } = run.config;
  if (serve === null) return null;
  const [shifts, groups, closed, sinks] = await Promise.all([
    shiftLog(store, run.runId).length(),
    groupsSoFar(store, run.runId),
    new AppendLog(store, feedEntrySchema, keys.feed(run.runId)).length(),
    Promise.all(sinksOf(serve).map((name) => readSinkStatus(store, run, name))),
  ]);
  // A group may stand in the feed twice.
  return { shifts, groups, closed: Math.min(closed, groups), sinks };
}

/** The document of a run, with that. */
export async function withServing(store: ArtifactStore, document: RunDocument): Promise<RunDocument> {
  const serving = await readServeStatus(store, document.run);
  return serving === null ? document : { ...document, serving };
}
