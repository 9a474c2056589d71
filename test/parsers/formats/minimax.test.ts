import { describe, expect, it } from 'vitest';
import { outcome, toolOf } from './outcome.js';

const SEARCH = toolOf('search', {
  query: { type: 'string' },
  tags: { type: 'array' },
  limit: { type: 'integer' },
});
const read = (text: string) => outcome(text, 'minimax', [SEARCH]);

describe('calls of MiniMax M2', () => {
  const invoke = (...parameters: string[]) => `<invoke name="search">\n${parameters.join('\n')}\n</invoke>`;
  const wrapped = (...calls: string[]) => `<minimax:tool_call>\n${calls.join('\n')}\n</minimax:tool_call>`;

  it('are typed by the schema, all white space of a text being its own', () => {
    const text = wrapped(
      invoke('<parameter name="query">\n 1 \n</parameter>', '<parameter name="tags">["a", "b"]</parameter>'),
      invoke("<parameter name='limit'>3</parameter>"),
    );
    expect(read(`<think>Hm.</think>Well. ${text} Done.`)).toEqual({
      calls: [
        ['search', { query: '\n 1 \n', tags: ['a', 'b'] }],
        ['search', { limit: 3 }],
      ],
      failures: [],
      content: 'Well. Done.',
      reasoning: 'Hm.',
    });
  });

  it('may lack closing tags, and keep text between them', () => {
    const text = `<minimax:tool_call>${invoke('<parameter name="query">a')} then ${invoke()}`;
    expect(read(text)).toMatchObject({
      calls: [
        ['search', { query: 'a' }, 'missing_close_tag'],
        ['search', {}, 'missing_close_tag'],
      ],
      content: 'then',
    });
  });

  it('are not made of prose', () => {
    const text = 'It writes <minimax:tool_call> around <invoke name="f"> tags.';
    expect(read(text)).toMatchObject({ calls: [], failures: [], content: text });
  });
});

describe('calls of MiniMax M1', () => {
  it('are one JSON object a line, and a broken line loses no other', () => {
    const text = `<think>Hm.</think>
<tool_calls>
{"name": "search", "arguments": {"query": "</tool_calls>"}}
{"name": "search", "arguments": {"query": }}
{"name": "search", "arguments": {"limit": 3}}
</tool_calls> Done.`;
    expect(read(text)).toEqual({
      calls: [
        ['search', { query: '</tool_calls>' }],
        ['search', { limit: 3 }],
      ],
      failures: ['bad_json'],
      content: 'Done.',
      reasoning: 'Hm.',
    });
  });

  it('need no closing tag, but all of their JSON', () => {
    const line = '<tool_calls>\n{"name": "search", "arguments": {"limit": 3}}';
    expect(read(line).calls).toEqual([['search', { limit: 3 }, 'missing_close_tag']]);
    expect(read(line.slice(0, -4))).toMatchObject({ calls: [], failures: ['truncated'] });
  });
});
