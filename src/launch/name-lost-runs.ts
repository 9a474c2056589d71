import { WorkflowNotFoundError } from '@temporalio/client';
import { workflowQueue } from '../core/queues.js';
import { keys } from '../store/keys.js';
import { mapBounded } from '../store/map-bounded.js';
import type { ArtifactStore } from '../store/store.js';
import { workflowIdOfRun } from '../temporal/run-workflow.js';
import type { Session } from './session.js';

const SHOWN_RUNS = 3;

/**
 * Names open runs that no worker of this cluster would ever take: those of another database, and those of
 * workflows that this version does not replay. `except` is the run that is just being started.
 */
export async function nameLostRuns(
  session: Pick<Session, 'store' | 'client'>,
  except: string | null,
  say: (line: string) => void,
): Promise<void> {
  const lost: string[] = [];
  for (const runId of await openRuns(session.store)) {
    if (runId !== except && (await isLost(session, runId))) lost.push(runId);
    if (lost.length > SHOWN_RUNS) break;
  }
  for (const runId of lost.slice(0, SHOWN_RUNS))
    say(
      `Run ${runId} is open, but this server does not know it. Start it anew with: longrun runs recover ${runId}`,
    );
  if (lost.length > SHOWN_RUNS) say('There are more of them: longrun runs list');
}

/** Planned to the end, and not closed. */
async function openRuns(store: ArtifactStore): Promise<string[]> {
  const open: string[] = [];
  const namesIn = (runId: string): Promise<string[]> => store.children(`${keys.runs}/${runId}`);
  for await (const { item, result } of mapBounded(await store.children(keys.runs), namesIn)) {
    if (result.includes('plan.json') && !result.includes('summary.json')) open.push(item);
  }
  return open;
}

async function isLost({ store, client }: Pick<Session, 'store' | 'client'>, runId: string): Promise<boolean> {
  try {
    const workflowId = await workflowIdOfRun(store, runId);
    const { status, taskQueue } = await client.workflow.getHandle(workflowId).describe();
    return status.name === 'RUNNING' && taskQueue !== workflowQueue();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return true;
    throw error;
  }
}
