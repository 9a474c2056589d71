import type { ChatMessage, ToolSchema } from '../../core/model/messages.js';
import { estimatePrompt } from '../../model/estimate-tokens.js';
import type { AgentContext, TurnHistory } from '../agent.js';

const DEFAULT_ANSWER_TOKENS = 4_096;
/** Of the window, at most, for the answer. */
const MAX_ANSWER_SHARE = 4;

/** Tokens that a prompt may have: the context window less room for the answer. Null = unlimited. */
export function promptBudget(context: AgentContext): number | null {
  const window = context.config.contextWindow ?? context.contextWindow;
  if (window === null) return null;
  const answer = context.config.maxTokens ?? DEFAULT_ANSWER_TOKENS;
  return window - Math.min(answer, Math.floor(window / MAX_ANSWER_SHARE));
}

export const toolSchemas = (context: AgentContext): ToolSchema[] => context.tools.map((tool) => tool.schema);

/** Tokens of a request, estimated. */
export function promptTokens(context: AgentContext, messages: readonly ChatMessage[]): number {
  return estimatePrompt(messages, toolSchemas(context));
}

/**
 * Tokens of a conversation whose last request is its beginning: what the endpoint counted for that
 * and its answer, plus an estimate of what came after. Estimated throughout where nothing was counted.
 */
export function grownTokens(
  context: AgentContext,
  messages: readonly ChatMessage[],
  newest: TurnHistory | undefined,
): number {
  const usage = newest?.call.usage;
  if (!usage || usage.promptTokens === 0) return promptTokens(context, messages);
  const answered = messages.findLastIndex((message) => message.role === 'assistant');
  return usage.promptTokens + usage.completionTokens + estimatePrompt(messages.slice(answered + 1), []);
}
