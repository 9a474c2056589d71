import { addUsage, NO_USAGE } from '../core/rollout/usage.js';
import { clusteredInterval } from '../core/statistics/interval.js';
import { mean } from '../core/statistics/mean.js';
import { passAtK } from '../core/statistics/pass-at-k.js';
import type { Plan, RolloutResult, RunRecord } from '../store/records/records.schema.js';
import type { Estimate, RunSummary } from './summary.js';

/** Up to here every k has its estimate; beyond, each doubling and the number of samples. */
const EVERY_K_UP_TO = 16;
const NO_CATEGORY = 'uncategorised';

/** Scored samples of one task, and how many of them passed. */
interface Tally {
  category: string;
  scored: number;
  passed: number;
}

/**
 * What a run's results amount to. Infrastructure failures carry no reward: they are left out of
 * every mean and of pass@k, and counted apart. Categories are by task id.
 */
export function summariseRun(
  run: RunRecord,
  plan: Plan,
  results: readonly RolloutResult[],
  categories: ReadonlyMap<string, string | null>,
): RunSummary {
  const scored = results.filter((result) => result.reward !== null);
  const rewards = scored.map((result) => result.reward as number);
  const nInfrastructure = count(results, (result) => result.failureClass === 'infrastructure');
  const nRollouts = plan.tasks.reduce((sum, task) => sum + task.samples, 0);
  const tallies = tally(run, plan, scored, categories);
  return {
    nRollouts,
    nScored: scored.length,
    nInfrastructure,
    nCancelled: count(results, (result) => result.failureClass === 'operator'),
    nOpen: nRollouts - results.length,
    nPassed: [...tallies.values()].reduce((sum, task) => sum + task.passed, 0),
    meanReward: mean(rewards),
    meanRewardWithFailures: mean([...rewards, ...Array.from({ length: nInfrastructure }, () => 0)]),
    passAt: passAt(
      [...tallies.values()],
      plan.tasks.reduce((most, task) => Math.max(most, task.samples), 0),
    ),
    categories: byCategory(tallies, scored),
    stopReasons: countStopReasons(results),
    usage: results.reduce((sum, result) => addUsage(sum, result.usage), NO_USAGE),
    costUsd: totalCost(results),
    suspectedTampering: count(results, (result) => result.suspectedTampering.length > 0),
    scripted: run.config.agent === 'tool-calling' && (run.config.model ?? '').startsWith('scripted/'),
  };
}

/** Which k a run with this many samples per task is judged by. */
export function ksOf(samples: number): number[] {
  const ks = Array.from({ length: Math.min(samples, EVERY_K_UP_TO) }, (_, i) => i + 1);
  for (let k = 2 * EVERY_K_UP_TO; k < samples; k *= 2) ks.push(k);
  return samples > EVERY_K_UP_TO ? [...ks, samples] : ks;
}

function tally(
  run: RunRecord,
  plan: Plan,
  scored: readonly RolloutResult[],
  categories: ReadonlyMap<string, string | null>,
): Map<string, Tally> {
  const tallies = new Map<string, Tally>();
  for (const { taskId } of plan.tasks) {
    tallies.set(taskId, { category: categories.get(taskId) ?? NO_CATEGORY, scored: 0, passed: 0 });
  }
  for (const result of scored) {
    const task = tallies.get(result.taskId);
    if (!task) continue;
    task.scored += 1;
    if ((result.reward as number) >= run.config.passThreshold) task.passed += 1;
  }
  return tallies;
}

function passAt(tasks: readonly Tally[], samples: number): Record<string, Estimate> {
  return Object.fromEntries(ksOf(samples).map((k) => [String(k), estimatePassAt(tasks, k)]));
}

function estimatePassAt(tasks: readonly Tally[], k: number): Estimate {
  const values = tasks.map((task) => passAtK(task.scored, task.passed, k)).filter((value) => value !== null);
  return {
    estimate: mean(values),
    interval: clusteredInterval(values),
    tasks: values.length,
    tasksLeftOut: tasks.length - values.length,
  };
}

function byCategory(
  tallies: ReadonlyMap<string, Tally>,
  scored: readonly RolloutResult[],
): RunSummary['categories'] {
  const names = [...new Set([...tallies.values()].map((task) => task.category))].sort();
  return names.map((category) => {
    const tasks = [...tallies.values()].filter((task) => task.category === category);
    const rewards = scored.filter((result) => tallies.get(result.taskId)?.category === category);
    return {
      category,
      tasks: tasks.length,
      nScored: rewards.length,
      meanReward: mean(rewards.map((result) => result.reward as number)),
      passAt1: estimatePassAt(tasks, 1).estimate,
    };
  });
}

function countStopReasons(results: readonly RolloutResult[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { stopReason } of results) counts[stopReason] = (counts[stopReason] ?? 0) + 1;
  return counts;
}

/** Null as soon as one rollout that used tokens has no known cost: a part would pass for the whole. */
function totalCost(results: readonly RolloutResult[]): number | null {
  const used = results.filter((result) => result.usage.promptTokens + result.usage.completionTokens > 0);
  if (used.some((result) => result.costUsd === null)) return null;
  return used.reduce((sum, result) => sum + (result.costUsd as number), 0);
}

function count(results: readonly RolloutResult[], matches: (result: RolloutResult) => boolean): number {
  return results.filter(matches).length;
}
