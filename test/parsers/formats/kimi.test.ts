import { describe, expect, it } from 'vitest';
import { parse } from '../../../src/parsers/index.js';
import { tools } from '../tools.js';

const call = (id: string, json: string) =>
  `<|tool_call_begin|>${id}<|tool_call_argument_begin|>${json}<|tool_call_end|>`;
const section = (...calls: string[]) =>
  `<|tool_calls_section_begin|>${calls.join('')}<|tool_calls_section_end|>`;
const read = (text: string, ...names: string[]) => parse(text, { family: 'kimi', tools: tools(...names) });

describe('a call of Kimi K2', () => {
  it('keeps the id that the model wrote beside one that is unique', () => {
    const { toolCalls } = read(section(call('functions.f:0', '{"a":1}'), call('functions.f:0', '{"a":2}')));
    expect(toolCalls.map((one) => one.nativeId)).toEqual(['functions.f:0', 'functions.f:0']);
    expect(new Set(toolCalls.map((one) => one.id)).size).toBe(2);
  });

  it.each([
    ['functions.f:0', ['f'], 'f', false],
    ['functions.mcp.f:0', [], 'mcp.f', false],
    ['functions.mcp.f:0', ['mcp.f', 'f'], 'mcp.f', false],
    ['functions.mcp.f:0', ['f'], 'f', true],
    ['mcp.search.f:12', ['search'], 'mcp.search.f', false],
    ['f', ['f'], 'f', false],
  ])('%s is, of the tools %j, %s', (id, known, name, renamed) => {
    const { toolCalls } = read(section(call(id, '{}')), ...known);
    expect(toolCalls.map((one) => [one.name, one.nativeId])).toEqual([[name, id]]);
    expect(toolCalls[0]?.repairs.some(({ kind }) => kind === 'name')).toBe(renamed);
  });

  it('is read without its section, and with text around it', () => {
    const text = `a ${call('functions.f:0', '{}')} b ${call('functions.f:1', '{}')} c`;
    const { toolCalls, content } = read(text, 'f');
    expect(toolCalls).toHaveLength(2);
    expect(content.replace(/\s+/g, ' ')).toBe('a b c');
  });

  it('that is broken loses no neighbour, and one without arguments is one', () => {
    const text = section(call('functions.f:0', '{"a":'), call('functions.f:1', ''), call('two words', '{}'));
    const { toolCalls, failures } = read(text, 'f');
    expect(toolCalls.map((one) => [one.nativeId, one.arguments])).toEqual([['functions.f:1', {}]]);
    expect(failures.map(({ code }) => code)).toEqual(['truncated', 'no_name']);
  });

  it('may hold its own tokens in a text', () => {
    const a = `${section(call('functions.g:0', '{}'))}`;
    const { toolCalls } = read(section(call('functions.f:0', JSON.stringify({ a }))), 'f');
    expect(toolCalls.map((one) => one.arguments)).toEqual([{ a }]);
  });

  it('is not run when its arguments are cut off, and a section without calls is a failure', () => {
    expect(read('<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0')).toMatchObject({
      toolCalls: [],
      failures: [{ code: 'truncated' }],
    });
    expect(read(section('nothing here'))).toMatchObject({ content: '', failures: [{ code: 'malformed' }] });
  });
});
