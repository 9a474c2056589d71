import type { ChatMessage } from '../../core/model/messages.js';
import type { CallRecord, ToolResult } from '../../store/records/records.schema.js';
import { turnMessages } from './conversation.js';

/** For each turn, what the agent was told after it besides the results of its calls: to give a usable answer. */
export function corrections(
  turns: readonly { call: CallRecord; results: readonly ToolResult[] }[],
): ChatMessage[][] {
  const history = turns.map(({ call, results }) => ({ call, results: [...results] }));
  return turnMessages(history).map((messages) => messages.filter((message) => message.role === 'user'));
}
