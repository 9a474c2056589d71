import { CallFinisher } from './calls/finish-calls.js';
import { callsOfJson, isRecord, type JsonCalls } from './calls/json-calls.js';
import { joinReasoning } from './collect.js';
import { messageReasoning, messageText } from './message-reasoning.js';
import { parse } from './parse.js';
import type { ParseOptions, ParseResult } from './parse-result.js';

/** A message as chat APIs answer it. Every field may be missing. */
export interface ChatApiMessage {
  content?: unknown;
  reasoning?: unknown;
  reasoning_content?: unknown;
  reasoning_details?: unknown;
  tool_calls?: unknown;
  function_call?: unknown;
}

/**
 * Reads a message whose calls and reasoning may stand in fields, in typed content blocks or in the
 * text. Calls in fields are the message's calls; only where there are none the text is searched.
 */
export function parseMessage(message: ChatApiMessage, options: ParseOptions): ParseResult {
  const fields: Record<string, unknown> = { ...message };
  const structured = structuredCalls(fields);
  const text = messageText(message.content);
  const read = parse(text, structured.length === 0 ? options : { ...options, tools: [] });
  const reasoning = joinReasoning([
    ...messageReasoning(fields),
    ...(read.reasoning === null ? [] : [read.reasoning]),
  ]);
  if (structured.length === 0) return { ...read, reasoning };
  const finisher = new CallFinisher(options);
  return {
    ...read,
    // Marked calls beside structured ones are the same calls twice: only what is around them is content.
    reasoning,
    toolCalls: structured.flatMap(({ calls }) => calls.map((call) => finisher.finish(call))),
    failures: structured.flatMap(({ failures }) => failures),
    mismatch: null,
    notices: [
      ...read.notices.filter((notice) => !notice.startsWith('there is no tool')),
      ...finisher.notices,
    ],
  };
}

function structuredCalls(message: Record<string, unknown>): JsonCalls[] {
  const listed = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  const older = isRecord(message.function_call) ? [message.function_call] : [];
  const blocks = Array.isArray(message.content) ? message.content.filter(isToolUse) : [];
  const calls = listed.length > 0 ? listed : [...older, ...blocks];
  return calls.map((call) => {
    const raw = JSON.stringify(call) ?? '';
    // Arguments as a text are what the API specifies here, wherever the model put them.
    return callsOfJson(asFunction(call), { raw, offset: 0, repairs: [] });
  });
}

function asFunction(call: unknown): unknown {
  return isRecord(call) && !isRecord(call.function) ? { id: call.id, function: call } : call;
}

function isToolUse(part: unknown): boolean {
  return isRecord(part) && part.type === 'tool_use';
}
