import { describe, expect, it } from 'vitest';
import { outcome, toolOf } from './outcome.js';

const WRITE = toolOf('write', {
  path: { type: 'string' },
  content: { type: 'string' },
  lines: { type: 'array' },
});
const read = (text: string) => outcome(text, 'glm', [WRITE]);
const argument = (key: string, value: string) => `<arg_key>${key}</arg_key>\n<arg_value>${value}</arg_value>`;

describe('a call of GLM 4.5 and later', () => {
  it.each([
    [
      'with line breaks',
      `<tool_call>write\n${argument('path', '1')}\n${argument('lines', '[1]')}\n</tool_call>`,
    ],
    ['without', `<tool_call>write${argument('path', '1')}${argument('lines', '[1]')}</tool_call>`],
    [
      'with a break before the name',
      `<tool_call>\nwrite\n${argument('path', '1')}${argument('lines', '[1]')}\n</tool_call>`,
    ],
  ])('is read %s, typed by the schema', (_title, text) => {
    expect(read(text)).toMatchObject({ calls: [['write', { path: '1', lines: [1] }]], content: '' });
  });

  it.each(['  indented\n', 'a </arg_value> within', 'a </tool_call> within', '<arg_key>', ''])(
    'keeps all of a text: %j',
    (value) => {
      expect(read(`<tool_call>write\n${argument('content', value)}\n</tool_call>`).calls).toEqual([
        ['write', { content: value }],
      ]);
    },
  );

  it('that lacks closing tags is read as far as its values are whole, and its neighbours are', () => {
    const text = `<tool_call>write${argument('path', 'a')}\n<tool_call>write\n<arg_key>path</arg_key><arg_value>b\n`;
    expect(read(text)).toMatchObject({
      calls: [['write', { path: 'a' }, 'missing_close_tag']],
      failures: ['truncated'],
    });
  });

  it('without arguments needs its closing tag, or nothing says that none were to come', () => {
    expect(read('<tool_call>write</tool_call>').calls).toEqual([['write', {}]]);
    expect(read('<tool_call>write')).toMatchObject({ calls: [], failures: ['truncated'] });
    expect(read('the <tool_call>')).toMatchObject({ content: 'the <tool_call>', failures: [] });
  });
});

describe('a call of GLM-4', () => {
  it('is a name above JSON, in the tag or without it', () => {
    expect(read('<tool_call>write\n{"path": "a"}\n</tool_call>').calls).toEqual([['write', { path: 'a' }]]);
    expect(read('Well.\nwrite\n{"path": "a"}')).toMatchObject({
      calls: [['write', { path: 'a' }]],
      content: 'Well.',
    });
  });

  it('is not made of a heading above JSON', () => {
    expect(read('Output\n{"path": "a"}')).toMatchObject({ calls: [], content: 'Output {"path": "a"}' });
  });

  it('fails with its raw text when its JSON is broken', () => {
    expect(read('write\n{"path": }')).toMatchObject({ calls: [], failures: ['bad_json'] });
  });
});
