import { z } from 'zod';
import type { AssistantMessage, ToolCall } from '../../core/model/messages.js';
import type { Usage } from '../../core/rollout/usage.js';
import { toldTokens, toldUsd } from '../told-number.schema.js';
import type { ReasoningField } from './wire-messages.js';

const text = z.string().nullish();
const part = z.looseObject({ type: z.string(), text });

const toolCall = z.looseObject({
  id: text,
  function: z.looseObject({ name: text, arguments: z.unknown().optional() }),
});

const choiceSchema = z.looseObject({
  finish_reason: text,
  message: z.looseObject({
    content: z.union([z.string(), z.array(part)]).nullish(),
    refusal: text,
    reasoning: text,
    reasoning_content: text,
    tool_calls: z.array(toolCall).nullish(),
  }),
  logprobs: z.looseObject({ content: z.array(z.looseObject({ logprob: z.number() })).nullish() }).nullish(),
  token_ids: z.array(z.number()).nullish(),
  prompt_token_ids: z.array(z.number()).nullish(),
  sequence_id: text,
});

/** What endpoints answer, read leniently: many serve more, less or slightly other than OpenAI does. */
export const completionSchema = z.looseObject({
  model: text,
  choices: z.array(choiceSchema).min(1),
  usage: z
    .looseObject({
      prompt_tokens: toldTokens,
      completion_tokens: toldTokens,
      prompt_tokens_details: z.looseObject({ cached_tokens: toldTokens }).nullish(),
      /** Anthropic-style and DeepSeek's own names. */
      cache_read_input_tokens: toldTokens,
      prompt_cache_hit_tokens: toldTokens,
      /** US dollars, where the endpoint says so itself (OpenRouter). */
      cost: toldUsd,
    })
    .nullish(),
  prompt_token_ids: z.array(z.number()).nullish(),
  policy_version: z.union([z.string(), z.number()]).nullish(),
});
export type WireCompletion = z.infer<typeof completionSchema>;
type WireChoice = z.infer<typeof choiceSchema>;

export interface CompletionContent {
  message: AssistantMessage;
  finishReason: string;
  reasoningField: ReasoningField | null;
  usage: Usage;
  reportedCostUsd: number | null;
  promptTokenIds: number[] | null;
  completionTokenIds: number[] | null;
  logprobs: number[] | null;
  sequenceId: string | null;
}

/** The parts of a completion that we keep. */
export function readCompletion(completion: WireCompletion): CompletionContent {
  const choice = completion.choices[0] as WireChoice;
  const { message } = choice;
  const toolCalls = (message.tool_calls ?? []).map(readCall);
  const reasoningField = message.reasoning
    ? 'reasoning'
    : message.reasoning_content
      ? 'reasoning_content'
      : null;
  return {
    message: {
      role: 'assistant',
      content: readContent(message.content) || (message.refusal ?? ''),
      reasoning: reasoningField === null ? null : (message[reasoningField] ?? null),
      toolCalls,
    },
    finishReason: choice.finish_reason ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop'),
    reasoningField,
    usage: readUsage(completion.usage),
    reportedCostUsd: completion.usage?.cost ?? null,
    promptTokenIds: completion.prompt_token_ids ?? choice.prompt_token_ids ?? null,
    completionTokenIds: choice.token_ids ?? null,
    logprobs: choice.logprobs?.content?.map((token) => token.logprob) ?? null,
    sequenceId: choice.sequence_id ?? null,
  };
}

function readContent(content: WireChoice['message']['content']): string {
  if (Array.isArray(content)) return content.map((item) => item.text ?? '').join('');
  return content ?? '';
}

/** Some endpoints hand out arguments as an object instead of the text the model wrote. */
function readCall(call: z.infer<typeof toolCall>): ToolCall {
  const { name, arguments: written } = call.function;
  const text = typeof written === 'string' ? written : written == null ? '' : JSON.stringify(written);
  return { id: call.id ?? '', name: name ?? '', arguments: text };
}

function readUsage(usage: WireCompletion['usage']): Usage {
  const cached =
    usage?.prompt_tokens_details?.cached_tokens ??
    usage?.prompt_cache_hit_tokens ??
    usage?.cache_read_input_tokens;
  return {
    promptTokens: usage?.prompt_tokens ?? 0,
    cachedTokens: cached ?? 0,
    completionTokens: usage?.completion_tokens ?? 0,
  };
}
