import { describe, expect, it } from 'vitest';
import { parse } from '../../../src/parsers/index.js';
import { outcome, toolOf } from './outcome.js';

const TOOL = toolOf('f', { a: { type: 'string' }, n: { type: 'integer' } });
const read = (text: string) => outcome(text, 'deepseek', [TOOL]);
const section = (...calls: string[]) =>
  `<｜tool▁calls▁begin｜>${calls.map((call) => `<｜tool▁call▁begin｜>${call}<｜tool▁call▁end｜>`).join('\n')}<｜tool▁calls▁end｜>`;
const v3 = (json: string) => `function<｜tool▁sep｜>f\n\`\`\`json\n${json}\n\`\`\``;
const v31 = (json: string) => `f<｜tool▁sep｜>${json}`;

describe.each([
  ['V3', v3],
  ['V3.1', v31],
])('DeepSeek %s', (_version, call) => {
  it('reads several calls, and the text around them', () => {
    const text = `Well. ${section(call('{"a":"1"}'), call('{"a":"2"}'))} Done.`;
    expect(read(text)).toEqual({
      calls: [
        ['f', { a: '1' }],
        ['f', { a: '2' }],
      ],
      failures: [],
      content: 'Well. Done.',
      reasoning: null,
    });
  });

  it('reads fences and tokens within a text', () => {
    const a = '```js\nx\n```<｜tool▁call▁end｜>';
    expect(read(section(call(JSON.stringify({ a })))).calls).toEqual([['f', { a }]]);
  });

  it('loses no neighbour of a call with broken JSON, which keeps its raw text', () => {
    const text = section(call('{"a":"1"}'), call('{"a":}'), call('{"a":"3"}'));
    expect(read(text)).toMatchObject({
      calls: [
        ['f', { a: '1' }],
        ['f', { a: '3' }],
      ],
      failures: ['bad_json'],
    });
    const [failure] = parse(text, { family: 'deepseek' }).failures;
    expect(failure?.raw).toContain('{"a":}');
    expect(text.indexOf(failure?.raw ?? '?')).toBe(failure?.offset);
  });

  it('does without end tokens, but not without the end of the JSON', () => {
    const text = section(call('{"a":"1"}'), call('{"a":"2"}'));
    expect(read(text.replaceAll(/<｜tool▁calls?▁end｜>/g, '')).calls).toEqual([
      ['f', { a: '1' }, 'missing_close_tag'],
      ['f', { a: '2' }, 'missing_close_tag'],
    ]);
    expect(read(text.slice(0, text.lastIndexOf('"}')))).toMatchObject({
      calls: [['f', { a: '1' }]],
      failures: ['truncated'],
    });
  });

  it('reads the tokens with ASCII signs in them', () => {
    const text = section(call('{"a":"1"}')).replaceAll('▁', '_');
    expect(read(text).calls).toEqual([['f', { a: '1' }]]);
  });
});

describe('DeepSeek markup', () => {
  const markup = (open: string, close: string, wrapper: string) =>
    `${open}${wrapper}>\n${open}invoke name="f">\n${open}parameter name="a" string="true">  1 ${close}parameter>\n` +
    `${open}parameter name="n" string="false">2${close}parameter>\n${close}invoke>\n${close}${wrapper}>`;

  it.each([
    ['V4', '<｜DSML｜', '</｜DSML｜', 'tool_calls'],
    ['V3.2', '<｜DSML｜', '</｜DSML｜', 'function_calls'],
    ['with ASCII bars', '<|DSML|', '</|DSML|', 'tool_calls'],
    ['with ASCII bars and spaces', '< | DSML | ', '</ | DSML | ', 'tool_calls'],
    ['with doubled bars', '<｜｜DSML｜｜', '</｜｜DSML｜｜', 'tool_calls'],
  ])('%s is read, text as it stands and everything else as JSON', (_title, open, close, wrapper) => {
    expect(read(`x ${markup(open, close, wrapper)} y`)).toMatchObject({
      calls: [['f', { a: '  1 ', n: 2 }]],
      content: 'x y',
      failures: [],
    });
  });

  it.each([
    ['<｜DSML｜', '｜>'],
    ['< | DSML | ', ' >'],
  ])('with a token for each beginning and end is read: %s', (open, end) => {
    const text =
      `${open}tool_calls_begin${end}\n${open}tool_call_begin${end}f\n\`\`\`json\n{"a": "1"}\n\`\`\`\n` +
      `${open}tool_call_end${end}\n${open}tool_calls_end${end}`;
    expect(read(text)).toEqual({ calls: [['f', { a: '1' }]], failures: [], content: '', reasoning: null });
  });

  it('that is cut off within a value is not run', () => {
    const text = markup('<｜DSML｜', '</｜DSML｜', 'tool_calls');
    expect(read(text.slice(0, text.indexOf('1 ')))).toMatchObject({ calls: [], failures: ['truncated'] });
  });

  it('that is only mentioned is prose', () => {
    const text = 'DeepSeek writes <｜DSML｜tool_calls> around calls, and <｜DSML｜> elsewhere.';
    expect(read(text)).toMatchObject({ calls: [], failures: [], content: text });
  });
});
