import { runWorkflowId } from '../core/ids.js';
import { keys } from '../store/keys.js';
import { readRecord } from '../store/records/records.js';
import { runRecordSchema } from '../store/records/records.schema.js';
import type { ArtifactStore } from '../store/store.js';

/** Workflow types that conduct a run. */
export const RUN_WORKFLOWS = "'evaluate', 'process', 'serve'";

/** The id of the workflow that conducts a run, by its mode. */
export async function workflowIdOfRun(store: ArtifactStore, runId: string): Promise<string> {
  const run = await readRecord(store, runRecordSchema, keys.run(runId));
  return runWorkflowId(run?.mode ?? 'evaluate', runId);
}
