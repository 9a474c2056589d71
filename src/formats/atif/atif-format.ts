import type { Episode } from '../../core/trajectory/episode.schema.js';
import type { ExportContext, ExportFormat } from '../export-format.js';
import { atifDocument, type Json } from './atif-document.js';

/** ATIF v1.7, one file for each rollout; several steps of a task follow each other in it. */
export const atifFormat: ExportFormat = {
  name: 'atif',
  unit: 'episode',
  layout: 'document',
  rows(episodes, context) {
    const [spoken, silent] = [episodes.filter(hasMessages), episodes.filter((one) => !hasMessages(one))];
    return {
      rows: spoken.map((episode) => ({
        file: `${episode.sessionId}.json`,
        value: atifOfEpisode(episode, context),
      })),
      refused: silent.map(({ sessionId, outcome }) => ({
        sessionId,
        code: 'no_turns',
        reason: `nothing was said in it (${outcome.failure?.message ?? outcome.stopReason ?? 'unknown outcome'}); an ATIF trajectory has at least one step`,
      })),
    };
  },
};

const hasMessages = ({ trajectory }: Episode): boolean =>
  trajectory.timesteps.some((step) => step.chats.some((chat) => chat.messages.length > 0));

function atifOfEpisode(episode: Episode, context: ExportContext): Json {
  const { sessionId, rollout, agent, trajectory, turns } = episode;
  return atifDocument({
    sessionId,
    trajectoryId: rollout === null ? sessionId : `${sessionId}__${rollout.attempt}`,
    agent: {
      name: agent?.name ?? 'unknown',
      version: agent?.version ?? 'unknown',
      modelName: episode.model,
    },
    timesteps: trajectory.timesteps,
    turns,
    extra: extraOf(episode, context),
  });
}

/** What ATIF has no fields for: where the rollout belongs, and how it was judged. */
function extraOf(episode: Episode, { rewardOf }: ExportContext): Json {
  const { rollout, outcome, rewards, compressed } = episode;
  return {
    run_id: rollout?.runId,
    task_id: rollout?.taskId,
    sample: rollout?.sample,
    attempt: rollout?.attempt,
    group_id: episode.groupId,
    source: episode.source,
    environment: episode.environment,
    category: episode.category,
    provider: episode.provider,
    stop_reason: outcome.stopReason,
    completed: outcome.completed,
    passed: outcome.passed,
    status: outcome.status,
    failure_class: outcome.failureClass,
    failure: outcome.failure,
    api_calls: outcome.apiCalls,
    attempts: outcome.attempts,
    suspected_tampering: outcome.suspectedTampering.length === 0 ? null : outcome.suspectedTampering,
    reward: rewardOf(episode),
    rewards: rewards.length === 0 ? null : rewards,
    compressed: compressed?.summarisedTurns == null ? null : { summarised_turns: compressed.summarisedTurns },
  };
}
