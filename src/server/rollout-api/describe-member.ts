import type { EpisodeTurn } from '../../core/trajectory/episode.schema.js';
import { readEpisode } from '../../records/episodes-of-run.js';
import type { GroupRecord } from '../../store/records/group.schema.js';
import type { RolloutResult, RunRecord } from '../../store/records/records.schema.js';
import { readTask } from '../../store/runs.js';
import type { ArtifactStore } from '../../store/store.js';
import type { Member } from './answers.schema.js';

/** A rollout that has ended, as a trainer takes it: trajectory, reward, done and metadata. */
export async function describeMember(
  store: ArtifactStore,
  run: RunRecord,
  result: RolloutResult,
  group: GroupRecord | null,
): Promise<Member> {
  const { trajectory, turns, outcome } = await readEpisode(store, run, result);
  const { category, difficulty, tags } = (await readTask(store, run.runId, result.taskId)).metadata;
  const advantages = group?.members.find(({ sample }) => sample === result.sample)?.advantages ?? null;
  return {
    rolloutId: result.rolloutId,
    sample: result.sample,
    trajectory,
    reward: result.reward,
    done: result.failureClass === 'agent',
    stopReason: result.stopReason,
    advantage: commonAdvantage(advantages),
    advantages,
    policyVersion: result.policyVersion,
    turns: turns.map(describeTurn),
    metadata: {
      environment: run.environment.name,
      item: result.taskId,
      category,
      difficulty,
      tags,
      status: result.queueState,
      passed: outcome.passed ?? null,
      rewards: result.rewards,
      failure: result.failure,
      attempts: result.attempts,
      usage: result.usage,
      costUsd: result.costUsd,
      isolation: result.isolation,
      suspectedTampering: result.suspectedTampering,
      startedAt: result.timings.startedAt,
      finishedAt: result.timings.finishedAt,
    },
  };
}

function describeTurn(turn: EpisodeTurn): Member['turns'][number] {
  const { model, finishReason, policyVersion, usage, latencyMs } = turn;
  const { promptTokenIds, completionTokenIds, logprobs } = turn;
  return {
    model,
    finishReason,
    policyVersion,
    promptTokenIds,
    completionTokenIds,
    logprobs,
    usage,
    latencyMs,
  };
}

/** Estimators with a baseline of whole rollouts give every step the same one. */
function commonAdvantage(advantages: Member['advantages']): number | null {
  const values = new Set((advantages ?? []).flat());
  const [value] = values;
  return values.size === 1 && value !== undefined ? value : null;
}
