import { badInput, LongrunError } from '../core/errors.js';
import { parseRolloutId, type RolloutKey } from '../core/ids.js';
import { groupedBy } from '../core/lists/grouped-by.js';
import { mapBounded } from '../store/map-bounded.js';
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
  const chosen = rows.map(({ rolloutId }) => rolloutId);
  return groupedBy(chosen, (rolloutId) => rolloutId.slice(0, rolloutId.indexOf('/')));
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
  const planned = new PlannedRollouts(store);
  const read = async (id: string) => readQueueRow(store, await planned.keyOf(id));
  for await (const { item: id, result: row } of mapBounded(ids, read)) {
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

/** The rollouts of the runs that are asked about; each run is read once. */
class PlannedRollouts {
  private readonly runs = new Map<string, Promise<ReadonlyMap<string, number>>>();

  constructor(private readonly store: ArtifactStore) {}

  /** Errors: `bad_input`, `not_found`. */
  async keyOf(id: string): Promise<RolloutKey> {
    const key = parseRolloutId(id);
    if (key === null)
      throw badInput(`"${id}" is not the id of a rollout.`, 'It has the form run/task/sample.');
    const { runId, taskId, sample } = key;
    const known = this.runs.get(runId) ?? this.read(runId);
    this.runs.set(runId, known);
    if (sample < ((await known).get(taskId) ?? 0)) return key;
    throw new LongrunError('not_found', `run ${runId} has no rollout ${taskId}/${sample}`, {
      hint: `longrun runs show ${runId} lists them.`,
    });
  }

  /** How many samples each task has. */
  private async read(runId: string): Promise<ReadonlyMap<string, number>> {
    await readRun(this.store, runId);
    const { tasks } = await readPlan(this.store, runId);
    return new Map(tasks.map(({ taskId, samples }) => [taskId, samples]));
  }
}
