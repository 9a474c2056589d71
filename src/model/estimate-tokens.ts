import type { ChatMessage, ToolSchema } from '../core/model/messages.js';

/** UTF-8 bytes per token. English and code run at 3 to 4.5, Chinese at 3: the estimate errs upwards. */
const BYTES_PER_TOKEN = 3;
/** Role markers and separators of a chat template, per message. */
const MESSAGE_OVERHEAD = 8;
const TOOL_OVERHEAD = 16;

/** Tokens of a text, roughly and rather too many. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** Tokens of one message with its tool calls. */
export function estimateMessage(message: ChatMessage): number {
  let tokens = MESSAGE_OVERHEAD + estimateTokens(message.content);
  if (message.role !== 'assistant') return tokens;
  if (message.reasoning !== null) tokens += estimateTokens(message.reasoning);
  for (const call of message.toolCalls)
    tokens += MESSAGE_OVERHEAD + estimateTokens(call.name) + estimateTokens(call.arguments);
  return tokens;
}

/** Tokens of a whole prompt: messages and the schemas of the tools. */
export function estimatePrompt(messages: readonly ChatMessage[], tools: readonly ToolSchema[]): number {
  const sum = (numbers: number[]): number => numbers.reduce((a, b) => a + b, 0);
  return sum(messages.map(estimateMessage)) + sum(tools.map(estimateTool));
}

const toolTokens = new WeakMap<ToolSchema, number>();

/** Schemas are few and the same on every turn. */
function estimateTool(tool: ToolSchema): number {
  let tokens = toolTokens.get(tool);
  if (tokens === undefined) {
    tokens = TOOL_OVERHEAD + estimateTokens(JSON.stringify(tool));
    toolTokens.set(tool, tokens);
  }
  return tokens;
}
