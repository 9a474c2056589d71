import { append } from '../core/lists/append.js';
import type { Episode } from '../core/trajectory/episode.schema.js';
import type { TimeStep, TrajectoryMessage } from '../core/trajectory/trajectory.schema.js';
import type { OfferedTool } from './offered-tools.js';
import { timeStep } from './trajectory.js';

/** The whole conversation. */
export function messagesOf({ trajectory }: Episode): TrajectoryMessage[] {
  return trajectory.timesteps.flatMap(({ chats }) => chats.flatMap((chat) => chat.messages));
}

/** Whether anything was said: a rollout that died early may have a system prompt at most. */
export function hasConversation(episode: Episode): boolean {
  return messagesOf(episode).some(({ role }) => role !== 'system');
}

/** A conversation as timesteps: each ends with an answer and the results of its calls. `tools` are offered from the first on. */
export function timestepsOf(
  messages: readonly TrajectoryMessage[],
  tools: readonly OfferedTool[],
): TimeStep[] {
  const steps: TrajectoryMessage[][] = [];
  let answered = true;
  for (const message of messages) {
    if (answered && message.role !== 'tool') {
      steps.push([]);
      answered = false;
    }
    if (steps.length === 0) steps.push([]);
    steps.at(-1)?.push(message);
    if (message.role === 'assistant') answered = true;
  }
  const schemas = tools.map((tool) => ({ type: 'function', function: { ...tool } }));
  const unanswered = answered || steps.length < 2 ? [] : (steps.pop() ?? []);
  append(steps.at(-1) ?? [], unanswered);
  return steps.map((step, i) => timeStep(step, i === 0 && tools.length > 0 ? schemas : null));
}
