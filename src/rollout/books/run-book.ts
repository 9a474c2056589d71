import { LongrunError } from '../../core/errors.js';
import type { GroupRef } from '../../core/group/group-plan.js';
import { holdsSandboxes } from '../../core/host/host-role.js';
import { groupPartitionsOf, partitionCount, partitionsOf } from '../../core/run/partitioning.js';
import { poolQueue } from '../../core/run/queues.js';
import type { OpenRunInput, PartitionOpening, RunOpening } from '../../core/run/workflow-messages.js';
import { DAY_MS } from '../../core/time.js';
import { writeSummary } from '../../records/write-summary.js';
import { plannedGroups } from '../../store/groups.js';
import { readHosts } from '../../store/hosts.js';
import { keys } from '../../store/keys.js';
import { gatherBounded, mapBounded } from '../../store/map-bounded.js';
import { plannedRollouts, readPlan, readResult, readRun } from '../../store/runs.js';
import type { ArtifactStore } from '../../store/store.js';
import type { RolloutDeps } from '../deps.js';
import { completeFeed, openShift, serveOpening } from './serve-book.js';

const BACKSTOP_MS = 7 * DAY_MS;

/** What a run's workflow needs to know at its start. A finished run says so. */
export async function openRun(
  deps: RolloutDeps,
  { runId, incarnation, continued }: OpenRunInput,
): Promise<RunOpening> {
  const [run, plan, hosts, finished] = await Promise.all([
    readRun(deps.store, runId),
    readPlan(deps.store, runId),
    readHosts(deps.store),
    deps.store.has(keys.summary(runId)),
  ]);
  const { concurrency, maxAttempts, sandbox, hostLossMs, priority, weight } = run.config;
  const { groupSize, deadGroups, serve } = run.config;
  if (serve !== null && !finished && incarnation > 1 && continued !== true)
    await completeFeed(deps, run, plan);
  return {
    finished,
    total: plan.tasks.reduce((total, task) => total + task.samples, 0),
    concurrency,
    ...(serve === null
      ? { partitions: partitionCount(plan.tasks, groupSize) }
      : await serveOpening(deps, run, plan)),
    ...(groupSize === null ? {} : { groups: true as const }),
    ...(groupSize === null || deadGroups === null ? {} : { deadGroups }),
    policy: {
      poolQueue: poolQueue(sandbox),
      maxAttempts,
      priority,
      weight,
      backstopMs: BACKSTOP_MS,
      hostLossMs: hosts.filter(({ role }) => holdsSandboxes(role)).length > 1 ? hostLossMs : null,
    },
  };
}

/** The rollouts of one partition that have no result yet, or its groups that are open. */
export async function openPartition(
  deps: RolloutDeps,
  runId: string,
  index: number,
): Promise<PartitionOpening> {
  const [run, plan] = await Promise.all([readRun(deps.store, runId), readPlan(deps.store, runId)]);
  const { config } = run;
  const { tasks } = plan;
  if (config.serve !== null) return openShift(deps, run, plan, index);
  if (config.groupSize !== null)
    return openGroups(deps, runId, config.groupSize, groupPartitionsOf(tasks, config.groupSize)[index] ?? []);
  const members = partitionsOf(tasks)[index];
  if (!members) throw new LongrunError('not_found', `run ${runId} has no partition ${index}`);
  let done = 0;
  const open: PartitionOpening['open'] = [];
  for (const { taskId, from, to } of members) {
    const samples = Array.from({ length: to - from }, (_, i) => from + i);
    const isOpen = async (sample: number) =>
      (await readResult(deps.store, { runId, taskId, sample })) === null;
    const openOnes = await gatherBounded(samples, isOpen);
    const left = samples.filter((_, i) => openOnes[i]);
    done += samples.length - left.length;
    if (left.length > 0) open.push({ taskId, samples: left });
  }
  return { done, open };
}

async function openGroups(
  { store }: RolloutDeps,
  runId: string,
  size: number,
  groups: readonly GroupRef[],
): Promise<PartitionOpening> {
  const open: GroupRef[] = [];
  const closed = mapBounded(groups, ({ taskId, index }) => store.has(keys.group(runId, taskId, index)));
  for await (const { item, result: isClosed } of closed) if (!isClosed) open.push(item);
  return { done: (groups.length - open.length) * size, open: [], groups: { size, open } };
}

/**
 * Writes the run's summary, recomputed from its rollouts. A run is not finished while one of them
 * has no result: its workflow was terminated, or failed.
 */
export async function closeRun(
  deps: RolloutDeps,
  runId: string,
  status: 'finished' | 'cancelled',
): Promise<void> {
  if (status === 'finished') {
    const left = await leftOpen(deps, runId);
    if (left !== null)
      throw new LongrunError('internal', `${left} of run ${runId} ended without a result`, {
        hint: `carry them on with: longrun runs recover ${runId}`,
      });
  }
  await deps.recorder.runEnded(runId);
  await writeSummary(deps.store, runId, status);
  await deps.budgets.leave(runId);
}

/** What a finished run still owes; null = nothing. */
async function leftOpen({ store }: RolloutDeps, runId: string): Promise<string | null> {
  const [run, plan] = await Promise.all([readRun(store, runId), readPlan(store, runId)]);
  const rollouts = await countMissing(store, plannedRollouts(runId, plan), keys.result);
  if (rollouts > 0) return `${rollouts} rollouts`;
  const groups = await countMissing(store, plannedGroups(run, plan), ({ taskId, index }) =>
    keys.group(runId, taskId, index),
  );
  return groups > 0 ? `${groups} groups` : null;
}

async function countMissing<T>(
  store: ArtifactStore,
  items: Iterable<T>,
  keyOf: (item: T) => string,
): Promise<number> {
  let missing = 0;
  for await (const { result } of mapBounded(items, (item) => store.has(keyOf(item))))
    if (!result) missing += 1;
  return missing;
}
