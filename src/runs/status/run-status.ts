import { readClosedRun } from '../../records/write-summary.js';
import type { ArtifactStore } from '../../store/store.js';
import type { RunClient, RunProgress } from '../../temporal/run-client.js';

/** `interrupted`: not finished, and no cluster that is up knows of it. */
export type RunState = RunProgress['status'] | 'interrupted';

export interface RunStanding {
  status: RunState;
  /** Null when no cluster answers for it. */
  progress: RunProgress | null;
}

/** What became of a run: asked of the store first, which is the truth, then of the cluster. */
export async function runStanding(
  store: ArtifactStore,
  runs: RunClient | null,
  runId: string,
): Promise<RunStanding> {
  const closed = await readClosedRun(store, runId);
  if (closed) return { status: closed.status, progress: null };
  const progress = (await runs?.progress(runId)) ?? null;
  return { status: progress?.status ?? 'interrupted', progress };
}
