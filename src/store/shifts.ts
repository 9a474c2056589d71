import { groupIndexOf, planGroups, sequenceNumbers } from '../core/group/group-plan.js';
import { AppendLog } from './append-log.js';
import { keys } from './keys.js';
import { mapBounded } from './map-bounded.js';
import { readRecord } from './records/records.js';
import { type Plan, runRecordSchema } from './records/records.schema.js';
import { type Served, servedSchema, shiftRecordSchema } from './records/serve.schema.js';
import type { ArtifactStore } from './store.js';

/** The shifts of a run that serves, in order: shift n is entry n. */
export function shiftLog(store: ArtifactStore, runId: string): AppendLog<typeof shiftRecordSchema> {
  return new AppendLog(store, shiftRecordSchema, keys.shifts(runId));
}

/** Where the sequence of groups ended; null while it goes on. */
export function readServed(store: ArtifactStore, runId: string): Promise<Served | null> {
  return readRecord(store, servedSchema, keys.served(runId));
}

/** Groups of the sequence that a run that serves has by now: those of its shifts, or as many as it came to. */
export async function groupsSoFar(store: ArtifactStore, runId: string): Promise<number> {
  const [last, served] = await Promise.all([shiftLog(store, runId).last(), readServed(store, runId)]);
  return Math.min(last?.to ?? 0, served?.groups ?? Number.POSITIVE_INFINITY);
}

/** Its plan names the tasks, in the order of the sequence; the samples are those of the groups so far. */
export async function growPlan(store: ArtifactStore, runId: string, plan: Plan): Promise<Plan> {
  const run = await readRecord(store, runRecordSchema, keys.run(runId));
  const size = run?.config.groupSize ?? 1;
  const ids = plan.tasks.map(({ taskId }) => taskId);
  const planned = planGroups(ids, await groupsSoFar(store, runId), size);
  const samples = new Map(planned.map((task) => [task.taskId, task.samples]));
  return { ...plan, tasks: ids.map((taskId) => ({ taskId, samples: samples.get(taskId) ?? 0 })) };
}

/** Numbers of the groups that are closed. */
export async function closedGroups(
  store: ArtifactStore,
  runId: string,
  taskIds: readonly string[],
): Promise<Set<number>> {
  const closed = new Set<number>();
  const numberOf = sequenceNumbers(taskIds);
  const list = (taskId: string) => store.children(`${keys.groups(runId)}/${taskId}`);
  for await (const { item: taskId, result: names } of mapBounded(taskIds, list))
    for (const name of names) closed.add(numberOf({ taskId, index: Number.parseInt(name, 10) }));
  return closed;
}

/** Numbers of the groups some member of which has begun. */
export async function begunGroups(
  store: ArtifactStore,
  runId: string,
  taskIds: readonly string[],
  size: number,
): Promise<Set<number>> {
  const begun = new Set<number>();
  const numberOf = sequenceNumbers(taskIds);
  const list = (taskId: string) => store.children(`${keys.rollouts(runId)}/${taskId}`);
  for await (const { item: taskId, result: samples } of mapBounded(taskIds, list))
    for (const sample of samples) begun.add(numberOf({ taskId, index: groupIndexOf(Number(sample), size) }));
  return begun;
}
