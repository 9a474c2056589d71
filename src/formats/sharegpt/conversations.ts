import type { TrajectoryMessage } from '../../core/trajectory/trajectory.schema.js';
import { contentText, hasMoreThanText } from '../content-text.js';
import type { OfferedTool } from '../offered-tools.js';
import { gptValue } from './gpt-value.js';
import { systemValue } from './system-value.js';
import { type ToolResponse, toolValue } from './tool-value.js';

export interface ShareGptTurn {
  from: 'system' | 'human' | 'gpt' | 'tool';
  value: string;
}

export interface Conversation {
  turns: ShareGptTurn[];
  /** Messages with images or files, of which only the text is carried. */
  nonText: number;
}

type ToolMessage = Extract<TrajectoryMessage, { role: 'tool' }>;
type CallNames = readonly { id: string; name: string }[];

/** The messages of a rollout as ShareGPT turns; system messages are replaced by the generated one. */
export function conversationOf(
  messages: readonly TrajectoryMessage[],
  tools: readonly OfferedTool[],
): Conversation {
  const turns: ShareGptTurn[] = [{ from: 'system', value: systemValue(tools) }];
  let calls: CallNames = [];
  for (let at = 0; at < messages.length; at += 1) {
    const message = messages[at] as TrajectoryMessage;
    if (message.role === 'user') turns.push({ from: 'human', value: contentText(message.content) });
    if (message.role === 'assistant') {
      turns.push({ from: 'gpt', value: gptValue(message) });
      calls = message.toolCalls.map(({ id, function: { name } }) => ({ id, name }));
    }
    if (message.role === 'tool') {
      const results = resultsFrom(messages, at);
      turns.push({ from: 'tool', value: toolValue(named(results, calls)) });
      at += results.length - 1;
    }
  }
  return { turns, nonText: messages.filter(({ content }) => hasMoreThanText(content)).length };
}

/** The run of results that begins here. */
function resultsFrom(messages: readonly TrajectoryMessage[], from: number): ToolMessage[] {
  const end = messages.findIndex((message, i) => i >= from && message.role !== 'tool');
  return messages.slice(from, end < 0 ? undefined : end) as ToolMessage[];
}

/** In the order of the calls. The name is that of the call with the result's id; the position counts where it has none. */
function named(results: readonly ToolMessage[], calls: CallNames): ToolResponse[] {
  const placed = results.map(({ toolCallId, name, content }, position) => {
    const byId = calls.findIndex(({ id }) => toolCallId !== '' && id === toolCallId);
    const called = calls[byId]?.name ?? (name || calls[position]?.name || 'unknown');
    return { at: byId < 0 ? calls.length : byId, toolCallId, name: called, content: contentText(content) };
  });
  return placed.sort((a, b) => a.at - b.at).map(({ at: _, ...response }) => response);
}
