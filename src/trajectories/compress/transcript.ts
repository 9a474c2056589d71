import type { TrajectoryMessage } from '../../core/trajectory/trajectory.schema.js';
import { type Turn, textOf } from './turns.js';

/** A longer message is shown by its beginning and its end. */
const MESSAGE_CHARS = 3_000;
const LEAST_CHARS = 200;
const TAIL_SHARE = 0.25;

/** Turns as plain text for a model to read, in at most about `maxChars`: many endpoints refuse tool messages without tools. */
export function transcriptOf(turns: readonly Turn[], maxChars: number): string {
  const messages = turns.flatMap(({ work }) => work);
  const share = Math.floor(maxChars / Math.max(1, messages.length));
  const limit = Math.max(LEAST_CHARS, Math.min(MESSAGE_CHARS, share));
  const lines = messages.flatMap((message) => linesOf(message, limit));
  return cutMiddle(lines.join('\n'), maxChars);
}

function linesOf(message: TrajectoryMessage, limit: number): string[] {
  const text = cutMiddle(textOf(message).trim(), limit);
  if (message.role === 'tool') return [`RESULT of ${message.name}: ${text}`];
  if (message.role !== 'assistant') return [`${message.role.toUpperCase()}: ${text}`];
  const calls = message.toolCalls.map(
    (call) => `CALL ${call.function.name} ${cutMiddle(call.function.arguments, limit)}`,
  );
  return [...(text === '' ? [] : [`AGENT: ${text}`]), ...calls];
}

function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const tail = Math.floor(limit * TAIL_SHARE);
  const from = between(text, limit - tail);
  const to = between(text, text.length - tail);
  return `${text.slice(0, from)}\n[… ${to - from} characters left out …]\n${text.slice(to)}`;
}

/** A place to cut at: not inside a character that takes two code units. */
function between(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at;
}
