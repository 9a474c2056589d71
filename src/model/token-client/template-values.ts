import type { TemplateValue } from '../../core/model/chat-tokenizer.js';
import type { ChatMessage, ToolSchema } from '../../core/model/messages.js';

/** Messages in the fields of chat templates. Many refuse two user messages in a row, so these are joined. */
export function templateMessages(messages: readonly ChatMessage[]): TemplateValue[] {
  const values: { role: string; content: string; [field: string]: unknown }[] = [];
  for (const message of messages) {
    const last = values.at(-1);
    if (message.role === 'user' && last?.role === 'user') last.content += `\n\n${message.content}`;
    else values.push(templateMessage(message));
  }
  return values;
}

function templateMessage(message: ChatMessage) {
  const { role, content } = message;
  if (role === 'tool') return { role, content, tool_call_id: message.toolCallId, name: message.name };
  if (role !== 'assistant') return { role, content };
  const calls = message.toolCalls.map(({ id, name, arguments: text }) => ({
    id,
    type: 'function',
    function: { name, arguments: objectOr(text) },
  }));
  return {
    role,
    content,
    ...(message.reasoning === null ? {} : { reasoning_content: message.reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/** Templates want the object; what is none stays the text that it is. */
function objectOr(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : text;
  } catch {
    return text;
  }
}

export function templateTools(tools: readonly ToolSchema[]): TemplateValue[] {
  return tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }));
}
