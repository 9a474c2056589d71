import { badInput, LongrunError } from '../core/errors.js';
import { parseRolloutId, type RolloutKey } from '../core/ids.js';
import { readPlan, readRun } from '../store/runs.js';
import type { ArtifactStore } from '../store/store.js';
import { type QueueRow, readQueue, readQueueRow } from './read-queue.js';

export interface RetryChoice {
  ids: readonly string[];
  runId: string | null;
  state: QueueRow['state'] | null;
}

/**
 * The rollouts to try again, by run: those named, or those in the queues. Scored ones, and those that
 * their run still works on, are refused by name, and left alone where a queue was named.
 */
export async function chooseRetries(
  store: ArtifactStore,
  { ids, runId, state }: RetryChoice,
): Promise<Map<string, string[]>> {
  if (ids.length === 0 && runId === null && state === null) {
    throw badInput(
      'Nothing says which rollouts are to be tried again.',
      'Name rollouts (run/task/sample), or choose with --run or --state.',
    );
  }
  if (ids.length > 0 && (runId !== null || state !== null))
    throw badInput('Rollouts are named, and --run or --state chooses others.', 'Give one or the other.');
  const rows = ids.length > 0 ? await namedRows(store, ids) : await queuedRows(store, runId, state);
  if (rows.length === 0) {
    throw new LongrunError('not_found', 'Nothing is there to be tried again.', {
      hint: 'longrun queue list shows what is in the queues.',
    });
  }
  const chosen = new Map<string, string[]>();
  for (const { rolloutId } of rows) {
    const run = rolloutId.slice(0, rolloutId.indexOf('/'));
    chosen.set(run, [...(chosen.get(run) ?? []), rolloutId]);
  }
  return chosen;
}

async function queuedRows(
  store: ArtifactStore,
  runId: string | null,
  state: QueueRow['state'] | null,
): Promise<QueueRow[]> {
  const rows = await readQueue(store, runId);
  return rows.filter(
    (row) => !row.scored && !row.open && row.resolution === null && (state === null || row.state === state),
  );
}

async function namedRows(store: ArtifactStore, ids: readonly string[]): Promise<QueueRow[]> {
  const rows: QueueRow[] = [];
  for (const id of ids) {
    const row = await readQueueRow(store, await keyOf(store, id));
    if (row === null || row.open)
      throw badInput(
        `${id} is still open: its run tries again by itself.`,
        'longrun runs list shows whether it runs.',
      );
    if (row.scored) {
      throw badInput(
        `${id} is scored (${row.stopReason}): a scored outcome is not tried again.`,
        'longrun replay --rollout makes new attempts beside it, which do not count.',
      );
    }
    rows.push(row);
  }
  return rows;
}

async function keyOf(store: ArtifactStore, id: string): Promise<RolloutKey> {
  const key = parseRolloutId(id);
  if (key === null) throw badInput(`"${id}" is not the id of a rollout.`, 'It has the form run/task/sample.');
  await readRun(store, key.runId);
  const task = (await readPlan(store, key.runId)).tasks.find(({ taskId }) => taskId === key.taskId);
  if (task !== undefined && key.sample < task.samples) return key;
  throw new LongrunError('not_found', `run ${key.runId} has no rollout ${key.taskId}/${key.sample}`, {
    hint: `longrun runs show ${key.runId} lists them.`,
  });
}
