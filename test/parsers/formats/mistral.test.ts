import { describe, expect, it } from 'vitest';
import { renderToolCalls } from '../../../src/parsers/index.js';
import { outcome } from './outcome.js';

const read = (text: string) => outcome(text, 'mistral');

describe('calls of Mistral', () => {
  it.each([
    ['a list', '[TOOL_CALLS] [{"name":"f","arguments":{"a":1}},{"name":"g","arguments":{}}]'],
    ['names', '[TOOL_CALLS]f{"a":1}[TOOL_CALLS]g{}'],
    ['names and a mark', '[TOOL_CALLS]f[ARGS]{"a":1}[TOOL_CALLS]g[ARGS]{}'],
    [
      'names, ids and a mark',
      '[TOOL_CALLS]f[CALL_ID]abcdefghi[ARGS]{"a": 1}[TOOL_CALLS]g[CALL_ID]123456789[ARGS]{}',
    ],
  ])('as %s are read, and the text around them is kept', (_title, text) => {
    expect(read(`Well. ${text} Done.`)).toEqual({
      calls: [
        ['f', { a: 1 }],
        ['g', {}],
      ],
      failures: [],
      content: 'Well. Done.',
      reasoning: null,
    });
  });

  it('with arguments as a text are read', () => {
    expect(read('[TOOL_CALLS]f[ARGS]"{\\"a\\":1}"').calls).toEqual([
      ['f', { a: 1 }, 'string_encoded_arguments'],
    ]);
  });

  it('that are broken lose no neighbours', () => {
    const text = '[TOOL_CALLS]f{"a":}[TOOL_CALLS]g{"b":[TOOL_CALLS]h{"c":"[TOOL_CALLS]"}[TOOL_CALLS]i[ARGS]';
    expect(read(text)).toMatchObject({
      calls: [['h', { c: '[TOOL_CALLS]' }]],
      failures: ['bad_json', 'truncated', 'truncated'],
    });
    expect(read('[TOOL_CALLS] [{"name":"f","arguments":{}},{"arguments":{}}]')).toMatchObject({
      calls: [['f', {}]],
      failures: ['no_name'],
    });
  });

  it('whose JSON goes on behind its end are not run', () => {
    expect(read('[TOOL_CALLS]f{"a":1},"b":2}')).toMatchObject({ calls: [], failures: ['bad_json'] });
  });

  it.each(['[TOOL_CALLS]', 'the [TOOL_CALLS] token', '[TOOL_CALLS] [see below]', '[TOOL_CALLS]f and more'])(
    'are not made of prose: %j',
    (text) => {
      expect(read(text)).toMatchObject({ calls: [], failures: [], content: text });
    },
  );

  it('are written with an id where it is one that the templates take', () => {
    const written = (id: string) => renderToolCalls('mistral', [{ id, name: 'f', arguments: {} }]);
    expect(written('abc123DEF')).toBe('[TOOL_CALLS]f[CALL_ID]abc123DEF[ARGS]{}');
    expect(written('call_0')).toBe('[TOOL_CALLS]f[ARGS]{}');
  });
});
