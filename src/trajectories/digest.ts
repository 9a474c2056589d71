import { createHash } from 'node:crypto';
import type { Episode } from '../core/trajectory/episode.schema.js';
import type { TrajectoryMessage } from '../core/trajectory/trajectory.schema.js';
import { episodeLine } from './longrun-format.js';

/** SHA-256 of a text, in hexadecimal. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Of the whole row as it is written: another reward or note makes another digest. */
export function episodeDigest(episode: Episode): string {
  return sha256(episodeLine(episode));
}

/** Of what was said, without ids, times and labels: equal for conversations that read the same. */
export function conversationDigest({ trajectory }: Episode): string {
  const calls = new Map<string, number>();
  const messages = trajectory.timesteps.flatMap(({ chats }) => chats.flatMap((chat) => chat.messages));
  return sha256(JSON.stringify(messages.map((message) => spoken(message, calls))));
}

/** Calls are counted through the conversation, and a result names the number of its call. */
function spoken(message: TrajectoryMessage, calls: Map<string, number>): unknown[] {
  if (message.role === 'tool')
    return ['tool', message.name, calls.get(message.toolCallId) ?? null, message.content];
  if (message.role !== 'assistant') return [message.role, message.content];
  const made = message.toolCalls.map(({ id, function: { name, arguments: text } }) => {
    calls.set(id, calls.size);
    return [name, text];
  });
  return ['assistant', message.content, message.reasoning, made];
}
