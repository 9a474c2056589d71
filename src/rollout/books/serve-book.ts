import { LongrunError } from '../../core/errors.js';
import { groupAt, sequenceNumbers } from '../../core/group/group-plan.js';
import { groupsPerShift } from '../../core/run/partitioning.js';
import { type ServeConfig, sinksOf } from '../../core/run/serve-config.schema.js';
import type { PartitionOpening, RunOpening, ServedReason } from '../../core/run/workflow-messages.js';
import { AppendLog } from '../../store/append-log.js';
import { readGroup } from '../../store/groups.js';
import { keys } from '../../store/keys.js';
import { mapBounded } from '../../store/map-bounded.js';
import { putRecordIfAbsent } from '../../store/records/records.js';
import type { Plan, RunRecord } from '../../store/records/records.schema.js';
import { feedEntrySchema, servedSchema, shiftRecordSchema } from '../../store/records/serve.schema.js';
import { readPlan, readRun } from '../../store/runs.js';
import { begunGroups, closedGroups, readServed, shiftLog } from '../../store/shifts.js';
import type { ArtifactStore } from '../../store/store.js';
import type { RolloutDeps } from '../deps.js';

interface Sequence {
  taskIds: string[];
  size: number;
  perShift: number;
  serve: ServeConfig;
}

type StoreOnly = Pick<RolloutDeps, 'store'>;

/** What the workflow of a run that serves needs beside what every run has. */
export async function serveOpening(
  { store }: StoreOnly,
  run: RunRecord,
  plan: Plan,
): Promise<Pick<RunOpening, 'partitions' | 'done' | 'serve'>> {
  const { taskIds, size, perShift, serve } = sequenceOf(run, plan);
  const [groups, last, closed] = await Promise.all([
    lengthOf(store, run),
    shiftLog(store, run.runId).last(),
    closedGroups(store, run.runId, taskIds),
  ]);
  let done = 0;
  while (closed.has(done)) done += 1;
  const first = Math.floor(done / perShift);
  return {
    partitions: groups === null ? Number.MAX_SAFE_INTEGER : Math.ceil(groups / perShift),
    done: first * perShift * size,
    serve: {
      sinks: sinksOf(serve),
      hostId: serve.hostId,
      groupSize: size,
      groupsPerShift: perShift,
      groups,
      opened: last?.to ?? 0,
      first,
      shiftsPerHistory: serve.shiftsPerHistory,
    },
  };
}

/** Puts the record of a shift, once, and answers its groups that are open. */
export async function openShift(
  deps: Pick<RolloutDeps, 'store' | 'now'>,
  run: RunRecord,
  plan: Plan,
  index: number,
): Promise<PartitionOpening> {
  const { store, now } = deps;
  const { taskIds, size, perShift } = sequenceOf(run, plan);
  const groups = await lengthOf(store, run);
  const from = index * perShift;
  const to = Math.min(from + perShift, groups ?? Number.POSITIVE_INFINITY);
  const record = { schemaVersion: 1 as const, from, to, openedAt: now() };
  const at = shiftLog(store, run.runId).keyOf(index);
  const { won } = await putRecordIfAbsent(store, shiftRecordSchema, at, record);
  const numbers = Array.from({ length: to - from }, (_, i) => from + i);
  const named = (n: number) => ({ ...groupAt(taskIds, n), n });
  if (won) return { done: 0, open: [], groups: { size, open: numbers.map(named), begun: from } };
  const { closed, started } = await startedGroups(store, run.runId, taskIds, size);
  const open = numbers.filter((n) => !closed.has(n)).map(named);
  return {
    done: (numbers.length - open.length) * size,
    open: [],
    // Started in their order: what is before one that has begun in a later shift was, too.
    groups: { size, open, begun: Math.max(from, Math.min(to, started)) },
  };
}

/**
 * Puts the end of a run's sequence, once: what was started by then. Sinks end with it, so that nothing may be left to
 * close or to be fed: throws `internal` when a group has ended without a record, unless the run was cancelled.
 */
export async function endServing(
  { store, now }: Pick<RolloutDeps, 'store' | 'now'>,
  runId: string,
  reason: ServedReason,
): Promise<void> {
  const [run, plan] = await Promise.all([readRun(store, runId), readPlan(store, runId)]);
  const { taskIds, size } = sequenceOf(run, plan);
  const { closed, started: groups } = await startedGroups(store, runId, taskIds, size);
  const left = groups - closed.size;
  if (left > 0 && reason !== 'cancelled' && (await readServed(store, runId)) === null)
    throw new LongrunError('internal', `${left} groups of run ${runId} ended without a record`, {
      hint: `carry them on with: longrun runs recover ${runId}`,
    });
  // As many entries as groups: each has one. Looking at all of them takes long where there are many.
  if ((await feedOf(store, runId).length()) !== closed.size) await completeFeed({ store }, run, plan);
  const record = { schemaVersion: 1 as const, groups, reason, at: now() };
  await putRecordIfAbsent(store, servedSchema, keys.served(runId), record);
}

/** Says in the run's feed that a group has closed. One that stands there twice is taken once. */
export async function feedGroup(
  store: ArtifactStore,
  runId: string,
  { taskId, index, closedAt }: { taskId: string; index: number; closedAt: number },
): Promise<void> {
  await feedOf(store, runId).append({ schemaVersion: 1, taskId, index, closedAt });
}

/** Feeds groups that were closed by workflows that ended before they could say so. */
export async function completeFeed({ store }: StoreOnly, run: RunRecord, plan: Plan): Promise<void> {
  const { runId } = run;
  const { taskIds } = sequenceOf(run, plan);
  const missing = new Set([...(await closedGroups(store, runId, taskIds))].sort((a, b) => a - b));
  const feed = feedOf(store, runId);
  const length = await feed.length();
  const numbers = Array.from({ length }, (_, n) => n);
  const numberOf = sequenceNumbers(taskIds);
  for await (const { result: entry } of mapBounded(numbers, (n) => feed.read(n)))
    if (entry !== null) missing.delete(numberOf(entry));
  for (const n of missing) {
    const record = await readGroup(store, { runId, ...groupAt(taskIds, n) });
    if (record !== null) await feedGroup(store, runId, record);
  }
}

function feedOf(store: ArtifactStore, runId: string): AppendLog<typeof feedEntrySchema> {
  return new AppendLog(store, feedEntrySchema, keys.feed(runId));
}

/** `started`: as many groups as the sequence has up to the last of which anything is there. */
async function startedGroups(
  store: ArtifactStore,
  runId: string,
  taskIds: readonly string[],
  size: number,
): Promise<{ closed: Set<number>; started: number }> {
  const begun = await begunGroups(store, runId, taskIds, size);
  const closed = await closedGroups(store, runId, taskIds);
  let started = 0;
  for (const numbers of [begun, closed]) for (const n of numbers) started = Math.max(started, n + 1);
  return { closed, started };
}

/** Groups of the sequence, at most; null = endless. A run that had its end goes no further when it is carried on. */
async function lengthOf(store: ArtifactStore, { runId, config }: RunRecord): Promise<number | null> {
  return (await readServed(store, runId))?.groups ?? config.groups;
}

function sequenceOf({ runId, config }: RunRecord, { tasks }: Plan): Sequence {
  const { serve, groupSize: size } = config;
  if (serve === null || size === null) throw new LongrunError('internal', `run ${runId} serves nobody`);
  const taskIds = tasks.map(({ taskId }) => taskId);
  return { taskIds, size, serve, perShift: groupsPerShift(taskIds, size, serve.shiftRollouts) };
}
