import type { Episode } from '../../core/trajectory/episode.schema.js';
import type { TrajectoryMessage } from '../../core/trajectory/trajectory.schema.js';
import { messagesOf } from './turns.js';

/** Tokens of a text. */
export type CountTokens = (text: string) => number;

/** Role markers and separators of a chat template, per message and per call. */
const OVERHEAD = 8;
/** What models charge for a picture or a recording of ordinary size. */
const MEDIA_TOKENS = 1_000;

export function messageTokens(message: TrajectoryMessage, count: CountTokens): number {
  const tokens = OVERHEAD + contentTokens(message.content, count);
  if (message.role !== 'assistant') return tokens;
  const calls = message.toolCalls.map(({ function: { name, arguments: text } }) =>
    sum([OVERHEAD, count(name), count(text)]),
  );
  return tokens + (message.reasoning === null ? 0 : count(message.reasoning)) + sum(calls);
}

export function messagesTokens(messages: readonly TrajectoryMessage[], count: CountTokens): number {
  return sum(messages.map((message) => messageTokens(message, count)));
}

/** Tokens of the whole conversation and of the tools that it offers. */
export function episodeTokens({ trajectory }: Episode, count: CountTokens): number {
  return (
    sum(trajectory.timesteps.map((step) => messagesTokens(messagesOf(step), count))) +
    toolTokens(trajectory, count)
  );
}

/** Tools are said once, however often they are offered. */
function toolTokens({ timesteps }: Episode['trajectory'], count: CountTokens): number {
  const offered = timesteps.flatMap(({ availableToolSchemas }) => availableToolSchemas ?? []);
  return sum([...new Set(offered.map((tool) => JSON.stringify(tool)))].map(count));
}

function contentTokens(content: TrajectoryMessage['content'], count: CountTokens): number {
  if (typeof content === 'string') return count(content);
  return sum(content.map((part) => (part.type === 'text' ? count(part.text) : MEDIA_TOKENS)));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
