import { messagesOf } from '../../core/reward/tool-calls.js';
import { trajectoryMessageSchema } from '../../core/trajectory/trajectory.schema.js';
import { toWire } from '../../store/wire/wire.js';
import type { ScoreItem } from './scorer.js';

/** What a classifier or a command is given of an episode: the conversation as OpenAI's chat messages, no rewards. */
export function wireItem({ id, episode }: ScoreItem): Record<string, unknown> {
  const { sessionId, rollout, environment, category, model, outcome, trajectory } = episode;
  const messages = trajectory.timesteps.flatMap(messagesOf).map((message) => {
    const { label: _, ...rest } = toWire(trajectoryMessageSchema, message) as Record<string, unknown>;
    return rest;
  });
  return {
    schema_version: 1,
    id,
    session_id: sessionId,
    task_id: rollout?.taskId ?? null,
    environment,
    category,
    model,
    turns: trajectory.timesteps.length,
    completed: outcome.completed,
    stop_reason: outcome.stopReason,
    tools:
      trajectory.timesteps.findLast((step) => step.availableToolSchemas !== null)?.availableToolSchemas ?? [],
    messages,
  };
}
