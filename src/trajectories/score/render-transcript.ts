import { messagesOf } from '../../core/reward/tool-calls.js';
import type { Episode } from '../../core/trajectory/episode.schema.js';
import type { TrajectoryMessage } from '../../core/trajectory/trajectory.schema.js';

/** Characters of a transcript; what is longer loses its middle. */
export const TRANSCRIPT_CHARS = 100_000;
const RESULT_CHARS = 4_000;
const MESSAGE_CHARS = 16_000;

/**
 * An episode as text for a judge: what was said, called and answered, and how it ended, but no reward of
 * any kind. Long results and messages lose their middle; where all of it is too long, turns in the middle go.
 */
export function renderTranscript(episode: Episode, maxChars: number = TRANSCRIPT_CHARS): string {
  const turns = episode.trajectory.timesteps.map((step, i) =>
    messagesOf(step)
      .map((message) => renderMessage(message, i + 1))
      .join('\n\n'),
  );
  const end = `[end] ${endOf(episode)}`;
  return [...withinLimit(turns, maxChars - end.length), end].join('\n\n');
}

function renderMessage(message: TrajectoryMessage, turn: number): string {
  const text = textOf(message.content);
  if (message.role === 'tool') return `[result of ${message.name}]\n${cut(text, RESULT_CHARS)}`;
  if (message.role !== 'assistant') return `[${message.role}]\n${cut(text, MESSAGE_CHARS)}`;
  const calls = message.toolCalls.map(
    ({ function: { name, arguments: args } }) => `[call ${name}]\n${cut(args, RESULT_CHARS)}`,
  );
  const thoughts = message.reasoning ? [`[reasoning]\n${cut(message.reasoning, RESULT_CHARS)}`] : [];
  return [
    `[assistant, turn ${turn}]`,
    ...thoughts,
    ...(text === '' ? [] : [cut(text, MESSAGE_CHARS)]),
    ...calls,
  ].join('\n');
}

function endOf({ outcome, trajectory }: Episode): string {
  const why = outcome.stopReason ?? (outcome.completed ? 'completed' : 'not completed');
  return trajectory.errorInfo === null ? why : `${why}: ${trajectory.errorInfo.message}`;
}

/** The first and last turns that fit: the task stands in the first one, the outcome in the last. */
function withinLimit(turns: string[], maxChars: number): string[] {
  if (turns.reduce((sum, turn) => sum + turn.length, 0) <= maxChars) return turns;
  const head: string[] = [];
  const tail: string[] = [];
  let left = maxChars;
  let from = 0;
  let to = turns.length;
  while (from < to) {
    const fromHead = head.length <= tail.length;
    const next = (fromHead ? turns[from] : turns[to - 1]) as string;
    // Of the two ends at least a part is always kept.
    if (next.length > left && head.length > 0 && tail.length > 0) break;
    const kept = cut(next, Math.max(MIN_CHARS, left));
    left -= kept.length;
    if (fromHead) {
      head.push(kept);
      from += 1;
    } else {
      tail.unshift(kept);
      to -= 1;
    }
  }
  const gone = to - from;
  return gone === 0 ? [...head, ...tail] : [...head, `[… ${gone} turns left out …]`, ...tail];
}

const MIN_CHARS = 500;

/** At most `limit` characters, from the head and the tail. */
function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const mark = `\n[… ${text.length - limit} characters left out …]\n`;
  const head = Math.ceil(limit * 0.6);
  return text.slice(0, head) + mark + text.slice(text.length - (limit - head));
}

function textOf(content: TrajectoryMessage['content']): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
}
