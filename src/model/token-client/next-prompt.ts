import { createHash } from 'node:crypto';
import type { RenderOptions, SamplingTokenizer, TemplateValue } from '../../core/model/chat-tokenizer.js';
import type { ChatMessage, ToolSchema } from '../../core/model/messages.js';
import type { Rendering } from '../../core/model/rendering.schema.js';
import type { SampledBefore } from '../model-client.js';
import { templateMessages, templateTools } from './template-values.js';

export interface NextPrompt {
  ids: number[];
  rendering: Rendering;
}

export interface Conversation {
  messages: readonly ChatMessage[];
  tools: readonly ToolSchema[];
}

/**
 * The ids of the next prompt. Where the chat template only adds to what it wrote for the turn before, these are the
 * ids of that turn as they were sent and sampled, followed by those of what was added; where it rewrites anything,
 * all is rendered anew, and the record says why. Errors: those of the template.
 */
export function nextPrompt(
  tokenizer: SamplingTokenizer,
  conversation: Conversation,
  before: SampledBefore | null,
  now: number,
): NextPrompt {
  const values = templateMessages(conversation.messages);
  const at = before?.rendering.now ?? now;
  const options: RenderOptions = {
    tools: templateTools(conversation.tools),
    generationPrompt: true,
    now: at,
  };
  const text = tokenizer.render(values, options);
  const added = before === null ? null : addedText(tokenizer, values, text, options, before);
  const continued = before !== null && added !== null && 'text' in added;
  return {
    ids: continued
      ? [...before.promptTokenIds, ...before.completionTokenIds, ...tokenizer.encode(added.text)]
      : tokenizer.encode(text),
    rendering: {
      tokenizer: tokenizer.name,
      textDigest: digest(text),
      now: at,
      continued,
      rewritten: added !== null && 'rewritten' in added ? added.rewritten : null,
    },
  };
}

type Added = { text: string } | { rewritten: string };
const rewritten = (reason: string): Added => ({ rewritten: reason });

/** What the template writes between the sampled answer and the next one, or why there is no such thing. */
function addedText(
  tokenizer: SamplingTokenizer,
  values: readonly TemplateValue[],
  text: string,
  options: RenderOptions,
  before: SampledBefore,
): Added {
  const answerAt = values.findLastIndex(({ role }) => role === 'assistant');
  if (before.rendering.tokenizer !== tokenizer.name)
    return rewritten('another tokenizer made the prompt before');
  if (answerAt < 0) return rewritten('the conversation does not hold the answer before');
  const prompt = tokenizer.render(values.slice(0, answerAt), options);
  if (digest(prompt) !== before.rendering.textDigest)
    return rewritten('what stood before the answer was changed or is no longer sent');
  const answered = tokenizer.render(values.slice(0, answerAt + 1), { ...options, generationPrompt: false });
  if (!answered.startsWith(prompt))
    return rewritten('with the answer the chat template writes another prompt than without it');
  if (!text.startsWith(answered))
    return rewritten('the chat template rewrites an answer once more is said after it');
  const answer = answered.slice(prompt.length);
  const { reasoning_content: thoughts } = values[answerAt] as TemplateValue;
  if (typeof thoughts === 'string' && !answer.includes(thoughts.trim()))
    return rewritten('the chat template leaves out what the model thought');
  const end = endOf(answer, tokenizer);
  if (end === null) return rewritten('the chat template marks no end of an answer');
  const last = before.completionTokenIds.at(-1);
  const ended = last !== undefined && tokenizer.stopIds.has(last);
  return { text: (ended ? '' : end.mark) + end.rest + text.slice(answered.length) };
}

/** The mark that ends an answer in the template, and the white space that it writes behind it. */
function endOf(answer: string, tokenizer: SamplingTokenizer): { mark: string; rest: string } | null {
  let found: { mark: string; rest: string } | null = null;
  for (const id of tokenizer.stopIds) {
    const mark = tokenizer.decode([id]);
    const at = mark === '' ? -1 : answer.lastIndexOf(mark);
    const rest = answer.slice(at + mark.length);
    if (at >= 0 && rest.trim() === '' && (found === null || rest.length < found.rest.length))
      found = { mark, rest };
  }
  return found;
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
