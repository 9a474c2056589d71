import { LongrunError } from '../core/errors.js';
import { holdsSandboxes } from '../core/host-role.js';
import { partitionsOf } from '../core/partitioning.js';
import { poolQueue } from '../core/queues.js';
import { DAY_MS } from '../core/time.js';
import type { PartitionOpening, RunOpening } from '../core/workflow-messages.js';
import { writeSummary } from '../report/write-summary.js';
import { readHosts } from '../store/hosts.js';
import { keys } from '../store/keys.js';
import { mapBounded } from '../store/map-bounded.js';
import { plannedRollouts, readPlan, readResult, readRun } from '../store/runs.js';
import type { RolloutDeps } from './deps.js';

const BACKSTOP_MS = 7 * DAY_MS;

/** What a run's workflow needs to know at its start. A finished run says so. */
export async function openRun(deps: RolloutDeps, runId: string): Promise<RunOpening> {
  const [run, plan, hosts, summary] = await Promise.all([
    readRun(deps.store, runId),
    readPlan(deps.store, runId),
    readHosts(deps.store),
    deps.store.get(keys.summary(runId)),
  ]);
  const { concurrency, maxAttempts, sandbox, hostLossMs, priority, weight } = run.config;
  return {
    finished: summary !== null,
    total: plan.tasks.reduce((total, task) => total + task.samples, 0),
    concurrency,
    partitions: partitionsOf(plan.tasks).length,
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

/** The rollouts of one partition that have no result yet. */
export async function openPartition(
  deps: RolloutDeps,
  runId: string,
  index: number,
): Promise<PartitionOpening> {
  const members = partitionsOf((await readPlan(deps.store, runId)).tasks)[index];
  if (!members) throw new LongrunError('not_found', `run ${runId} has no partition ${index}`);
  let done = 0;
  const open: PartitionOpening['open'] = [];
  for (const { taskId, from, to } of members) {
    const samples = Array.from({ length: to - from }, (_, i) => from + i);
    const sealed = await Promise.all(
      samples.map((sample) => readResult(deps.store, { runId, taskId, sample })),
    );
    const left = samples.filter((_, i) => sealed[i] === null);
    done += samples.length - left.length;
    if (left.length > 0) open.push({ taskId, samples: left });
  }
  return { done, open };
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
    const open = await countOpen(deps, runId);
    if (open > 0)
      throw new LongrunError('internal', `${open} rollouts of run ${runId} ended without a result`, {
        hint: `carry them on with: longrun runs recover ${runId}`,
      });
  }
  await writeSummary(deps.store, runId, status);
  await deps.budgets.leave(runId);
}

async function countOpen(deps: RolloutDeps, runId: string): Promise<number> {
  const plan = await readPlan(deps.store, runId);
  let open = 0;
  const results = mapBounded(plannedRollouts(runId, plan), (key) => deps.store.get(keys.result(key)));
  for await (const { result } of results) if (result === null) open += 1;
  return open;
}
