import type { ChatMessage } from '../../core/model/messages.js';
import { boundResult } from '../bound-result.js';

const MIN_PART_BYTES = 120;

/** A conversation as plain text of at most about `limitBytes`: long messages lose their middle, evenly. */
export function transcript(messages: readonly ChatMessage[], limitBytes: number): string {
  const parts = messages.map(asText);
  const total = Buffer.byteLength(parts.join('\n\n'));
  if (total <= limitBytes) return parts.join('\n\n');
  const share = Math.max(MIN_PART_BYTES, evenShare(parts, limitBytes));
  return boundResult(parts.map((part) => boundResult(part, share).shown).join('\n\n'), limitBytes).shown;
}

/** The size to which long parts are cut so that all fit: short ones leave their rest to them. */
function evenShare(parts: string[], limitBytes: number): number {
  const sizes = parts.map((part) => Buffer.byteLength(part)).sort((a, b) => a - b);
  // What the cutting itself writes.
  let left = limitBytes - parts.length * 60;
  for (const [index, size] of sizes.entries()) {
    const share = Math.floor(left / (sizes.length - index));
    if (size > share) return share;
    left -= size;
  }
  return limitBytes;
}

function asText(message: ChatMessage): string {
  if (message.role === 'tool') return `Result of ${message.name}:\n${message.content}`;
  if (message.role !== 'assistant') return message.content;
  const calls = message.toolCalls.map((call) => `Call of ${call.name}: ${call.arguments}`);
  return [message.content, ...calls].filter((text) => text !== '').join('\n');
}
