import { buildRunDocument } from '../../records/document.js';
import type { RunDocument } from '../../records/summary.js';
import type { Session } from '../session.js';
import { withServing } from './serve-status.js';
import type { RunEnd } from './watch-run.js';

/** The results of a run that is no longer watched; of one that its budget has paused, by which. */
export async function endDocument(
  { store, runs }: Pick<Session, 'store' | 'runs'>,
  runId: string,
  end: RunEnd,
): Promise<RunDocument> {
  if (end !== 'budget') return await withServing(store, await buildRunDocument(store, runId, end));
  const progress = await runs.progress(runId).catch(() => null);
  const { reason = null, detail = null } = progress ?? {};
  return await withServing(store, await buildRunDocument(store, runId, 'paused', reason, detail));
}
