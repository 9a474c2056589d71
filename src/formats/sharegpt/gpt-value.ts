import type { TrajectoryMessage } from '../../core/trajectory/trajectory.schema.js';
import { contentText } from '../content-text.js';
import { respaceJson } from '../json-spacing.js';
import { isArguments } from './unparsed-arguments.js';

type AssistantMessage = Extract<TrajectoryMessage, { role: 'assistant' }>;

const EMPTY_THINK = '<think>\n</think>\n';
const SCRATCHPAD = /<(\/?)REASONING_SCRATCHPAD>/gi;
const STARTS_THINKING = /^\s*<think>[\s\S]*<\/think>/;

/** A `gpt` turn: reasoning in think tags (empty ones when there is none), content, one block per call. */
export function gptValue(message: AssistantMessage): string {
  const calls = message.toolCalls.map(({ function: { name, arguments: text } }) => {
    const object = isArguments(text) ? respaceJson(text) : '{}';
    return `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${object}}\n</tool_call>`;
  });
  const content = contentText(message.content).replace(SCRATCHPAD, '<$1think>');
  // White space before calls is how some models breathe: it is nothing to train on.
  const parts = calls.length > 0 && content.trim() === '' ? calls : [content, ...calls];
  return thinkBlock(message.reasoning, content) + parts.join('\n');
}

function thinkBlock(reasoning: string | null, content: string): string {
  if (reasoning !== null && reasoning.trim() !== '') return `<think>\n${reasoning}\n</think>\n`;
  return STARTS_THINKING.test(content) ? '' : EMPTY_THINK;
}
