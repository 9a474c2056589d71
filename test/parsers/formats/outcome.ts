import type { ToolSchema } from '../../../src/core/model/messages.js';
import { parse } from '../../../src/parsers/index.js';

export type Call = [name: string, args: Record<string, unknown>, ...repairs: string[]];

/** What is read of a text: content (white space as one space), calls with the kinds of their repairs, codes of failures. */
export function outcome(text: string, family: string, tools: readonly ToolSchema[] = []) {
  const { content, toolCalls, failures, reasoning } = parse(text, { family, tools });
  const calls = toolCalls.map(
    (call): Call => [call.name, call.arguments, ...call.repairs.map(({ kind }) => kind)],
  );
  return {
    content: content.replace(/\s+/g, ' '),
    calls,
    failures: failures.map(({ code }) => code),
    reasoning,
  };
}

/** A tool whose properties have these schemas. */
export function toolOf(name: string, properties: Record<string, unknown>): ToolSchema {
  return { name, description: '', parameters: { type: 'object', properties } };
}
