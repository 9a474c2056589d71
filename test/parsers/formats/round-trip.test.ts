import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolSchema } from '../../../src/core/model/messages.js';
import type { CallFormat, WrittenCall } from '../../../src/parsers/call-format.js';
import { ALL_FORMATS } from '../../../src/parsers/families.js';
import { parse } from '../../../src/parsers/index.js';
import { typeOfValue } from '../../../src/parsers/schema-types.js';
import { randomCalls } from './random-calls.js';

/** Tags that the formats without escapes cannot carry within a text; see the test below. */
const NOT_CARRIED: Record<string, readonly string[]> = {
  'qwen-coder': ['<function=', '<parameter=', '</parameter>'],
  'glm-xml': ['<tool_call>', '<arg_key>', '</arg_value>'],
  'minimax-m2': ['<invoke name=', '<parameter name=', '</parameter>'],
  'deepseek-dsml': ['<｜DSML｜invoke name=', '<｜DSML｜parameter name=', '</｜DSML｜parameter>'],
};
const FORMATS = ALL_FORMATS.filter(({ name }) => name !== 'unreadable-tag');

describe('calls with random arguments come back as they were written', () => {
  it.each(FORMATS.map((format) => [format.name, format] as const))('%s', (name, format) => {
    const misleading = NOT_CARRIED[name] ?? [];
    fc.assert(
      fc.property(randomCalls, (calls) => {
        const carried = calls.map((call) => ({ ...call, arguments: without(call.arguments, misleading) }));
        expect(readBack(format, carried)).toEqual(carried.map((call) => [call.name, call.arguments]));
      }),
      { numRuns: 150 },
    );
  });

  it.each(Object.keys(NOT_CARRIED))('%s changes only the tags that it cannot carry within a text', (name) => {
    const format = FORMATS.find((one) => one.name === name) as CallFormat;
    fc.assert(
      fc.property(randomCalls, (calls) => {
        const expected = calls.map((call) => [call.name, plain(call.arguments)] as const);
        expect(readBack(format, calls).map(([tool, args]) => [tool, plain(args)])).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });
});

/** Name and arguments of what is read of the calls, when the tools' schemas say what the arguments are. */
function readBack(format: CallFormat, calls: readonly WrittenCall[]): [string, Record<string, unknown>][] {
  const text = format.render(calls);
  const { toolCalls, failures, content } = parse(text, { family: format.family, tools: calls.map(toolOf) });
  expect({ failures, content, repaired: toolCalls.flatMap(({ repairs }) => repairs) }, text).toEqual({
    failures: [],
    content: '',
    repaired: [],
  });
  return toolCalls.map((call) => [call.name, call.arguments]);
}

function toolOf({ name, arguments: args }: WrittenCall): ToolSchema {
  const properties = Object.entries(args).map(([key, value]) => [key, { type: typeOfValue(value) }]);
  return {
    name,
    description: '',
    parameters: { type: 'object', properties: Object.fromEntries(properties) },
  };
}

function without(args: Record<string, unknown>, tags: readonly string[]): Record<string, unknown> {
  const clean = (value: unknown): unknown => {
    if (typeof value !== 'string') return value;
    const cleaned = tags.reduce((text, tag) => text.replaceAll(tag, ''), value);
    return cleaned === value ? value : clean(cleaned);
  };
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [key, clean(value)]));
}

/** With the only change undone that rendering makes. */
function plain(args: Record<string, unknown>): Record<string, unknown> {
  const undo = (value: unknown) => (typeof value === 'string' ? value.replaceAll('&lt;', '<') : value);
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [key, undo(value)]));
}
