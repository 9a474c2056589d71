import { createHash } from 'node:crypto';
import { estimateTokens } from '../estimate-tokens.js';
import type { ScriptedAnswer } from './next-answer.js';
import { scriptedCallId } from './turn-position.js';
import type { WireRequest } from './wire-request.js';

/** A chat completion as OpenAI's API answers it; ids and token counts follow from the request alone. */
export function wireCompletion(request: WireRequest, { answer, turn }: ScriptedAnswer) {
  const calls = (answer.toolCalls ?? []).map((call, index) => ({
    id: scriptedCallId(turn, index),
    type: 'function',
    function: {
      name: call.name,
      arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
    },
  }));
  const message = {
    role: 'assistant',
    content: answer.content ?? null,
    ...(answer.reasoning === undefined ? {} : { reasoning_content: answer.reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    id: `chatcmpl-${requestDigest(request)}`,
    object: 'chat.completion',
    created: 0,
    model: request.model,
    choices: [
      {
        index: 0,
        message,
        finish_reason: answer.finishReason ?? (calls.length > 0 ? 'tool_calls' : 'stop'),
        logprobs: null,
      },
    ],
    usage: usage(request, estimateTokens(JSON.stringify(message))),
  };
}

export function requestDigest(request: WireRequest): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('hex').slice(0, 24);
}

/** Counted as a server with a prompt cache would: all up to its own last answer was seen before. */
function usage(request: WireRequest, completionTokens: number) {
  const seen = request.messages.findLastIndex((message) => message.role === 'assistant') + 1;
  const count = (messages: unknown[]) =>
    messages.length === 0 ? 0 : estimateTokens(JSON.stringify(messages));
  const tools = estimateTokens(JSON.stringify(request.tools ?? []));
  const prompt = count(request.messages) + tools;
  const cached = seen === 0 ? 0 : Math.min(prompt, count(request.messages.slice(0, seen)) + tools);
  return {
    prompt_tokens: prompt,
    completion_tokens: completionTokens,
    total_tokens: prompt + completionTokens,
    prompt_tokens_details: { cached_tokens: cached },
  };
}
