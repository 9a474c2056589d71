import type { Episode } from '../trajectory/episode.schema.js';
import type { TrajectoryMessage } from '../trajectory/trajectory.schema.js';

/** One tool call of an episode with what became of it. */
export interface ToolCallFact {
  /** From 0. */
  turn: number;
  name: string;
  /** As the model wrote them. */
  arguments: string;
  /** Null where nothing is known of the result. */
  success: boolean | null;
}

/** The messages of one timestep. */
export const messagesOf = (step: Episode['trajectory']['timesteps'][number]): TrajectoryMessage[] =>
  step.chats.flatMap((chat) => chat.messages);

/** All tool calls of an episode in order. */
export function toolCallsOf(episode: Episode): ToolCallFact[] {
  return episode.trajectory.timesteps.flatMap((step, turn) => {
    const results = new Map(
      episode.turns[turn]?.results.map((result) => [result.toolCallId, result.success]),
    );
    return messagesOf(step).flatMap((message) =>
      message.role !== 'assistant'
        ? []
        : message.toolCalls.map((call) => ({
            turn,
            name: call.function.name,
            arguments: call.function.arguments,
            success: results.get(call.id) ?? null,
          })),
    );
  });
}

/** The answers of the model, in order. */
export function answersOf(episode: Episode): Extract<TrajectoryMessage, { role: 'assistant' }>[] {
  return episode.trajectory.timesteps.flatMap(messagesOf).filter((message) => message.role === 'assistant');
}
