import type { AgentContext } from '../../agent/agent.js';
import { type ParsedToolCall, type ParseFailure, parse } from '../../parsers/index.js';
import type { CallRecord, ParsedAnswer } from '../../store/records/records.schema.js';

/** Without one of these a call was not cut off by the answer's token limit. */
const CUT_OFF = new Set(['unclosed_json', 'missing_close_tag']);

/**
 * An answer whose endpoint left the calls in the text, with calls and reasoning taken out of it.
 * The record keeps what was said. An answer with calls of its own, and every answer under
 * `toolCallParser: none`, stays as it came.
 */
export function readAnswer(call: CallRecord, { config, tools }: AgentContext, turn: number): CallRecord {
  const { content, reasoning, toolCalls } = call.message;
  if (config.toolCallParser === 'none' || toolCalls.length > 0 || content === '') return call;
  const read = parse(content, {
    family: config.toolCallParser,
    tools: tools.map((tool) => tool.schema),
    newId: (index) => `call_${turn}_${index}`,
  });
  const cut = call.finishReason === 'length' ? read.toolCalls.filter(isCutOff) : [];
  const calls = read.toolCalls.filter((one) => !cut.includes(one));
  const failures = [...read.failures, ...cut.map((one) => cutOff(one, content))];
  const changed = calls.length > 0 || read.reasoning !== null;
  const parsed: ParsedAnswer = {
    family: read.family,
    mismatch: read.mismatch,
    rawContent: changed ? content : null,
    calls: calls.map(({ nativeId, repairs }) => ({ nativeId, repairs })),
    failures,
    notices: read.notices,
  };
  if (!changed) return { ...call, parsed };
  const thoughts = [reasoning, read.reasoning].filter((thought) => thought !== null && thought !== '');
  return {
    ...call,
    message: {
      // What could not be read stays before the model's eyes: it is to write it anew.
      content: [read.content, ...failures.map(({ raw }) => raw)].filter((text) => text !== '').join('\n'),
      reasoning: thoughts.length === 0 ? null : thoughts.join('\n\n'),
      toolCalls: calls.map(({ id, name, arguments: args }) => ({
        id,
        name,
        arguments: JSON.stringify(args),
      })),
    },
    parsed,
  };
}

function isCutOff({ repairs }: ParsedToolCall): boolean {
  return repairs.some(({ kind }) => CUT_OFF.has(kind));
}

function cutOff({ raw }: ParsedToolCall, content: string): ParseFailure {
  const message = 'the answer reached its token limit within the call';
  return { code: 'truncated', message, raw, offset: Math.max(0, content.indexOf(raw)) };
}
