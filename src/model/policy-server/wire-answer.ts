import { scriptedCallId } from '../scripted/turn-position.js';
import { type Answered, toldIds, usageOf } from './answered.js';
import type { SampledToken } from './sampler.js';
import type { ChatRequest, CompletionRequest } from './wire-request.js';

/** As vLLM answers `/v1/chat/completions`. */
export function chatAnswer(answered: Answered, request: ChatRequest) {
  const { model, sequenceId, prompt, policyVersion } = answered;
  const tells = answered.told !== 'not';
  const ids = tells && request.return_token_ids === true;
  const message = chatMessage(answered);
  const ended = message.tool_calls === undefined ? 'stop' : 'tool_calls';
  const content = tells && request.logprobs ? chatLogprobs(answered, request.top_logprobs ?? 0) : null;
  return {
    id: `chatcmpl-${sequenceId}`,
    object: 'chat.completion',
    created: 0,
    model,
    ...(ids ? { prompt_token_ids: prompt } : {}),
    choices: [
      {
        index: 0,
        message,
        finish_reason: answered.finishReason === 'length' ? 'length' : (answered.said.finishReason ?? ended),
        logprobs: content === null ? null : { content },
        ...(ids ? { token_ids: toldIds(answered), sequence_id: sequenceId } : {}),
      },
    ],
    usage: usageOf(answered),
    policy_version: policyVersion,
  };
}

/** Calls stand in fields of their own, as from a server that parses them; an answer that was cut is text. */
function chatMessage({ said, turn, text, finishReason }: Answered) {
  if (finishReason === 'length') return { role: 'assistant', content: text };
  const calls = (said.toolCalls ?? []).map(({ name, arguments: args }, i) => ({
    id: scriptedCallId(turn, i),
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  }));
  return {
    role: 'assistant',
    content: said.content ?? null,
    ...(said.reasoning === undefined ? {} : { reasoning_content: said.reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function chatLogprobs({ tokens, textOf }: Answered, top: number) {
  const entry = ({ id, logprob }: { id: number; logprob: number }) => {
    const token = textOf(id);
    return { token, logprob, bytes: [...Buffer.from(token)] };
  };
  return tokens.map((token) => ({ ...entry(token), top_logprobs: token.choices.slice(0, top).map(entry) }));
}

/** As vLLM answers `/v1/completions`, with the id of the sequence that Tinker gives. */
export function completionAnswer(answered: Answered, request: CompletionRequest) {
  const { model, sequenceId, prompt, text, finishReason, policyVersion } = answered;
  const tells = answered.told !== 'not';
  const ids = tells && request.return_token_ids === true;
  const wantsLogprobs = request.logprobs !== null && request.logprobs !== undefined;
  return {
    id: `cmpl-${sequenceId}`,
    object: 'text_completion',
    created: 0,
    model,
    choices: [
      {
        index: 0,
        text,
        logprobs: tells && wantsLogprobs ? completionLogprobs(answered, request.logprobs as number) : null,
        finish_reason: finishReason,
        stop_reason: null,
        ...(ids
          ? { token_ids: toldIds(answered), prompt_token_ids: prompt, sequence_id: sequenceId }
          : { token_ids: null, prompt_token_ids: null }),
      },
    ],
    usage: usageOf(answered),
    policy_version: policyVersion,
  };
}

function completionLogprobs({ tokens, textOf }: Answered, top: number) {
  const texts = tokens.map(({ id }) => textOf(id));
  const alternatives = ({ choices }: SampledToken) =>
    Object.fromEntries(choices.slice(0, top).map(({ id, logprob }) => [textOf(id), logprob]));
  let offset = 0;
  return {
    text_offset: texts.map((text) => {
      offset += text.length;
      return offset - text.length;
    }),
    token_logprobs: tokens.map(({ logprob }) => logprob),
    tokens: texts,
    top_logprobs: tokens.map(alternatives),
  };
}

/** As SGLang answers `/generate`. */
export function generateAnswer(answered: Answered, wantsLogprobs: boolean) {
  const { text, tokens, prompt, sequenceId, finishReason, policyVersion, told } = answered;
  const ids = toldIds(answered);
  return {
    text,
    ...(told === 'not' ? {} : { output_ids: ids }),
    meta_info: {
      id: sequenceId,
      finish_reason:
        finishReason === 'length'
          ? { type: 'length', length: tokens.length }
          : { type: 'stop', matched: ids.at(-1) },
      prompt_tokens: prompt.length,
      completion_tokens: tokens.length,
      cached_tokens: 0,
      weight_version: policyVersion,
      ...(told !== 'not' && wantsLogprobs
        ? { output_token_logprobs: tokens.map(({ id, logprob }) => [logprob, id, null]) }
        : {}),
    },
  };
}
