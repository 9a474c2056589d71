import type { OpenAI } from 'openai';
import type { AssistantMessage, ChatMessage, ToolSchema } from '../../core/model/messages.js';

type WireMessage = OpenAI.Chat.Completions.ChatCompletionMessageParam;
export type WireTool = OpenAI.Chat.Completions.ChatCompletionFunctionTool;

/** Names under which endpoints hand out reasoning and take it back. */
export type ReasoningField = 'reasoning' | 'reasoning_content';

/**
 * Our messages as the endpoint takes them. Many chat templates refuse empty answers and two user
 * messages in a row, so the former are left out and the latter joined.
 */
export function wireMessages(
  messages: readonly ChatMessage[],
  reasoningField: ReasoningField,
): WireMessage[] {
  const wire: WireMessage[] = [];
  for (const message of messages) {
    const last = wire.at(-1);
    if (message.role === 'user' && last?.role === 'user')
      last.content = `${last.content}\n\n${message.content}`;
    else if (message.role !== 'assistant') wire.push(plainMessage(message));
    else if (message.content !== '' || message.toolCalls.length > 0)
      wire.push(assistantMessage(message, reasoningField));
  }
  return wire;
}

function plainMessage(message: Exclude<ChatMessage, AssistantMessage>): WireMessage {
  if (message.role === 'tool')
    return { role: 'tool', content: message.content, tool_call_id: message.toolCallId };
  return { role: message.role, content: message.content };
}

/** Reasoning goes back under the name it came with: models that think between calls need their own thoughts. */
function assistantMessage(message: AssistantMessage, reasoningField: ReasoningField): WireMessage {
  const calls = message.toolCalls.map((call) => ({
    id: call.id,
    type: 'function' as const,
    function: { name: call.name, arguments: call.arguments },
  }));
  return {
    role: 'assistant',
    content: message.content === '' ? null : message.content,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(message.reasoning === null ? {} : { [reasoningField]: message.reasoning }),
  };
}

export function wireTools(tools: readonly ToolSchema[]): WireTool[] {
  return tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }));
}
