import { describe, expect, it } from 'vitest';
import { outcome, toolOf } from './outcome.js';

const WRITE = toolOf('write', {
  path: { type: 'string' },
  content: { type: 'string' },
  mode: { type: 'integer' },
});
const read = (text: string) => outcome(text, 'qwen', [WRITE]);
const call = (inner: string) => `<tool_call>\n<function=write>\n${inner}\n</function>\n</tool_call>`;
const content = (value: string) => call(`<parameter=content>\n${value}\n</parameter>`);

describe('a parameter of Qwen Coder', () => {
  it.each(['  indented\n    more\n', '\n\ntwo lines above', 'trailing  ', '\t', '', '007', '{"a": 1}'])(
    'keeps its text but for the two line breaks of the format: %j',
    (value) => {
      expect(read(content(value))).toMatchObject({ calls: [['write', { content: value }]], failures: [] });
    },
  );

  it.each([
    'echo "</parameter>" here',
    'a </function> and a </tool_call>',
    '<tool_call>\n{"name": "x", "arguments": {}}\n</tool_call>',
    'Example: <tool_call><function=x><parameter=y>1</parameter></function></tool_call> so.',
    'set <parameter=unknown> to 1',
    'use <function=x> for it',
    '<think>not a thought</think>',
  ])('may hold tags: %j', (value) => {
    expect(read(content(value))).toMatchObject({
      calls: [['write', { content: value }]],
      content: '',
      reasoning: null,
    });
  });

  it('ends where the next one begins when its closing tag is missing', () => {
    const text = call('<parameter=path>\na.txt\n<parameter=content>\nhi\n</parameter>');
    expect(read(text).calls).toEqual([['write', { path: 'a.txt', content: 'hi' }, 'missing_close_tag']]);
  });

  it('ends where the call does when its closing tag is missing', () => {
    const text = `${call('<parameter=path>a.txt')} and\n${content('hi')}`;
    expect(read(text)).toMatchObject({
      calls: [
        ['write', { path: 'a.txt' }, 'missing_close_tag'],
        ['write', { content: 'hi' }],
      ],
      content: 'and',
    });
  });

  it('is typed by the schema, and kept as text with a note where it does not fit', () => {
    expect(read(call('<parameter=mode>420</parameter>')).calls).toEqual([['write', { mode: 420 }]]);
    expect(read(call('<parameter=mode>rw</parameter>')).calls).toEqual([
      ['write', { mode: 'rw' }, 'kept_as_text'],
    ]);
  });

  it('may be called __proto__', () => {
    const [found] = read(call('<parameter=__proto__>x</parameter>')).calls;
    expect(Object.entries(found?.[1] ?? {})).toEqual([['__proto__', 'x']]);
  });
});

describe('a call of Qwen Coder', () => {
  it('does without the outer tag, whose end may stand there all the same', () => {
    const inner = '<function=write><parameter=path>a</parameter></function>';
    expect(read(`text ${inner} more`)).toMatchObject({
      calls: [['write', { path: 'a' }]],
      content: 'text more',
    });
    expect(read(`text ${inner}\n</tool_call> more`)).toMatchObject({ content: 'text more' });
  });

  it('does without closing tags, as long as its values are whole', () => {
    const inner = '<tool_call><function=write><parameter=path>a</parameter>';
    const expected = { calls: [['write', { path: 'a' }, 'missing_close_tag']], failures: [], content: '' };
    expect(read(inner)).toMatchObject(expected);
    expect(read(`${inner}\n</func`)).toMatchObject(expected);
    expect(read(`${inner}\n</function>\n</tool`)).toMatchObject(expected);
  });

  it.each([
    '<tool_call><function=write>',
    '<tool_call><function=write><parameter=path>a',
    '<tool_call><function=write><parameter=path>a</parameter><parameter=content',
    '<tool_call><function=write><parameter=path>a</parameter>\n<para',
  ])('is not run when the text ends within it: %j', (text) => {
    expect(read(text)).toMatchObject({ calls: [], failures: ['truncated'] });
  });

  it('that was cut off does not take the next one with it', () => {
    const text = `<tool_call><function=write><parameter=path>a ${content('hi')} end`;
    expect(read(text)).toEqual({
      calls: [['write', { content: 'hi' }]],
      failures: ['truncated'],
      content: 'end',
      reasoning: null,
    });
  });

  it('may have its arguments as JSON, and others beside it in one tag', () => {
    const text =
      '<tool_call><function=write>{"path": "a"}</function> then <function=write></function></tool_call>';
    expect(read(text)).toMatchObject({
      calls: [
        ['write', { path: 'a' }],
        ['write', {}],
      ],
      content: 'then',
    });
  });

  it.each(['use the <function=name> tag', 'a <tool_call> tag', '<function=f> is text', 'f<function=1'])(
    'is not made of prose: %j',
    (text) => {
      expect(read(text)).toEqual({ calls: [], failures: [], content: text, reasoning: null });
    },
  );
});
