import { describe, expect, it } from 'vitest';
import { parse } from '../../src/parsers/index.js';
import { tools } from './tools.js';

const tagged = (json: string) => `<tool_call>\n${json}\n</tool_call>`;
const GOOD = tagged('{"name":"terminal","arguments":{"command":"ls"}}');
const read = (text: string, family = 'hermes') =>
  parse(text, { family, tools: tools('terminal', 'web_search', 'write_file') });

describe('what is known to go wrong with tool calls in text', () => {
  it.each([
    ['a closer that is missing', tagged('{"name":"terminal","arguments":{"command":"ls"}'), 'unclosed_json'],
    [
      'raw line breaks',
      tagged('{"name":"terminal","arguments":{"command":"a\nb\tc"}}'),
      'raw_control_characters',
    ],
    [
      'unescaped quotes',
      tagged('{"name":"terminal","arguments":{"command":"echo "hi""}}'),
      'unescaped_quotes',
    ],
    ['a closer too many', tagged('{"name":"terminal","arguments":{"command":"ls"}}}'), 'surplus_closers'],
    [
      'a list instead of an object',
      tagged('[{"name":"terminal","arguments":{"command":"ls"}}]'),
      'array_of_calls',
    ],
    [
      'two calls in one tag',
      tagged('{"name":"terminal","arguments":{}}\n{"name":"web_search","arguments":{}}'),
      'array_of_calls',
    ],
    [
      'the same call twice in one tag',
      tagged('{"name":"terminal","arguments":{}}{"name":"terminal","arguments":{}}'),
      'duplicated_json',
    ],
    ['arguments beside the name', tagged('{"name":"terminal","command":"ls"}'), 'flat_arguments'],
    ['arguments that are null', tagged('{"name":"terminal","arguments":null}'), 'no_arguments'],
    ['a code fence in the tag', tagged('```json\n{"name":"terminal","arguments":{}}\n```'), 'code_fence'],
  ])('%s is repaired and recorded (silently dropped calls poison rewards)', (_title, text, repair) => {
    const { toolCalls, failures } = read(text);
    expect(failures).toEqual([]);
    expect(toolCalls.flatMap(({ repairs }) => repairs.map(({ kind }) => kind))).toContain(repair);
  });

  it('arguments beside the name are the arguments', () => {
    const [call] = read(tagged('{"id":"c1","name":"terminal","command":"ls"}')).toolCalls;
    expect(call).toMatchObject({ nativeId: 'c1', arguments: { command: 'ls' } });
  });

  it('a doubled name with doubled arguments is one call', () => {
    const args = JSON.stringify('{"q":"x"}{"q":"x"}');
    const { toolCalls } = read(tagged(`{"name":"web_searchweb_search","arguments":${args}}`));
    expect(toolCalls).toMatchObject([{ name: 'web_search', arguments: { q: 'x' } }]);
    expect(toolCalls[0]?.repairs.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['duplicated_json', 'string_encoded_arguments', 'name']),
    );
  });

  it('the closing tag within a string does not end the call', () => {
    const content = 'use </tool_call> and <tool_call> and </think>';
    const call = JSON.stringify({ name: 'write_file', arguments: { content } });
    expect(read(`${tagged(call)} after`)).toMatchObject({
      content: 'after',
      toolCalls: [{ arguments: { content }, repairs: [] }],
      reasoning: null,
    });
  });

  it.each([
    ['cut in a text', '{"name":"terminal","arguments":{"command":"rm -rf /tmp', 'truncated'],
    ['without a name', '{"arguments":{"command":"ls"}}', 'no_name'],
    ['whose arguments are a list', '{"name":"terminal","arguments":[1]}', 'not_an_object'],
    ['that is a number', '[5]', 'not_an_object'],
    ['whose JSON is broken', '{"name":"terminal","arguments":{"command":}}', 'bad_json'],
    ['whose JSON goes on behind its end', '{"name":"terminal","arguments":{"c":"echo "}}"}}', 'bad_json'],
    ['in no known form', 'terminal: ls -la', 'malformed'],
  ])('a call %s fails alone, is never run empty, and keeps its raw text', (_title, json, code) => {
    const broken = tagged(json);
    const text = `before ${GOOD}\n${broken}\n${GOOD} after`;
    const { toolCalls, failures, content } = read(text);
    expect(toolCalls.map((call) => call.arguments)).toEqual([{ command: 'ls' }, { command: 'ls' }]);
    expect(failures).toMatchObject([{ code, raw: broken, offset: text.indexOf(broken) }]);
    expect(content.split(/\s+/)).toEqual(['before', 'after']);
  });

  it('a call that the text ends in is not run with what is left of it', () => {
    const call =
      '<tool_call>\n{"name":"write_file","arguments":{"path":"a.txt","content":"line 1\\nline 2"}}';
    for (let length = '<tool_call>\n{'.length; length < call.length; length++) {
      const { toolCalls } = read(call.slice(0, length));
      for (const { arguments: args } of toolCalls)
        expect(args).toEqual({ path: 'a.txt', content: 'line 1\nline 2' });
    }
    expect(read(call.slice(0, -10)).failures).toMatchObject([{ code: 'truncated' }]);
  });

  it('several calls as JSON by semicolon, line or list are all read, and a broken one loses no other', () => {
    const call = (name: string, args = '{}') => `{"name":"${name}","parameters":${args}}`;
    const names = (text: string) => read(text, 'llama').toolCalls.map(({ name }) => name);
    expect(names(`${call('terminal')};${call('web_search')}`)).toEqual(['terminal', 'web_search']);
    expect(names(`${call('terminal')}\n${call('web_search')}`)).toEqual(['terminal', 'web_search']);
    expect(names(`[${call('terminal')}, ${call('web_search')}]`)).toEqual(['terminal', 'web_search']);
    const mixed = read(
      `${call('terminal')}; ${call('write_file', '{"a":}')}; ${call('web_search')}`,
      'llama',
    );
    expect(mixed.toolCalls.map(({ name }) => name)).toEqual(['terminal', 'web_search']);
    expect(mixed.failures).toMatchObject([{ code: 'bad_json' }]);
  });
});

it('a tag on a line of its own with something else behind it is a call that failed, a tag in a sentence is none', () => {
  expect(read('On it.\n<tool_call>\nls -la\n')).toMatchObject({
    content: 'On it.',
    failures: [{ code: 'malformed' }],
  });
  expect(read('Use <tool_call> and </tool_call>.')).toMatchObject({ failures: [], toolCalls: [] });
});
