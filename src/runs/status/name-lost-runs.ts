import { WorkflowNotFoundError } from '@temporalio/client';
import { workflowQueue } from '../../core/run/queues.js';
import { keys } from '../../store/keys.js';
import { mapBounded } from '../../store/map-bounded.js';
import type { ArtifactStore } from '../../store/store.js';
import { workflowIdOfRun } from '../../temporal/run-workflow.js';
import type { Session } from '../session.js';

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
  for await (const runId of openRuns(session.store)) {
    if (runId !== except && (await isLost(session, runId))) lost.push(runId);
    if (lost.length > SHOWN_RUNS) break;
  }
  for (const runId of lost.slice(0, SHOWN_RUNS))
    say(
      `Run ${runId} is open, but this server does not know it. Start it anew with: longrun runs recover ${runId}`,
    );
  if (lost.length > SHOWN_RUNS) say('There are more of them: longrun runs list');
}

/** Planned to the end, and not closed. Most runs are closed, and cost one look. */
async function* openRuns(store: ArtifactStore): AsyncGenerator<string> {
  const isOpen = async (runId: string): Promise<boolean> =>
    !(await store.has(keys.summary(runId))) && (await store.has(keys.plan(runId)));
  for await (const { item, result } of mapBounded(await store.children(keys.runs), isOpen))
    if (result) yield item;
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
