import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStreamParser, parse, type StreamEvent } from '../../src/parsers/index.js';
import { PROBES } from './probe-inputs.js';
import { SAMPLES } from './samples.js';
import { tools } from './tools.js';

const TEXTS = [...PROBES.map(({ text }) => text), ...SAMPLES.map(({ text }) => text)];
/** What model texts are made of, so that random ones hit the borders of marks. */
const PARTS = [
  '<think>',
  '</think>',
  '<tool_call>',
  '</tool_call>',
  '{"name":"t","arguments":{"a":1}}',
  '{"name":"t",',
  '"arguments":{"a":"</tool_call>"}}',
  '<tool',
  '_call>',
  '[',
  '{',
  '}',
  '"',
  '\n',
  ' ',
  'word ',
  '. ',
  '```json\n',
  '```',
  '<|python_tag|>',
  '; ',
  '<function=f>',
  '<parameter=a>',
  '</parameter>',
  '</function>',
  '[TOOL_CALLS]',
  '<',
  'f\n',
  '[f(a=1)]',
  '🚀',
  // Longer, shorter or the same as ASCII once their case is changed.
  'İ',
  'ﬃ',
  'ß',
  'thin\u212A>',
];
const FAMILIES = ['auto', 'hermes', 'llama', 'deepseek', 'openai'];
const thinkOpened = fc.constantFrom(undefined, true, false);

/** Pushes a text cut at these places. */
function streamed(text: string, cuts: number[], family: string, options: object) {
  const parser = createStreamParser(family, options);
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  const events = [0, ...places].flatMap((from, index) =>
    parser.push(text.slice(from, places[index] ?? text.length)),
  );
  return { events, result: parser.end() };
}

const said = (events: StreamEvent[], kind: 'content' | 'reasoning'): string =>
  events.map((event) => (event.kind === kind ? event.text : '')).join('');

describe('a text that arrives in pieces', () => {
  const text = fc.oneof(
    fc.constantFrom(...TEXTS),
    fc.array(fc.constantFrom(...PARTS), { maxLength: 25 }).map((parts) => parts.join('')),
    fc.tuple(fc.constantFrom(...TEXTS), fc.constantFrom(...TEXTS)).map((both) => both.join('\n')),
  );
  const cuts = fc.array(fc.nat(400), { maxLength: 30 });

  it('is read as the whole is, wherever it is cut, and no event is taken back', () => {
    fc.assert(
      fc.property(text, cuts, fc.constantFrom(...FAMILIES), thinkOpened, (whole, at, family, opened) => {
        const options = { tools: tools('t', 'f'), thinkOpened: opened };
        const { events, result } = streamed(whole, at, family, options);
        expect(result).toEqual(parse(whole, { family, ...options }));
        expect(result.content.startsWith(said(events, 'content'))).toBe(true);
        expect((result.reasoning ?? '').startsWith(said(events, 'reasoning'))).toBe(true);
        const calls = events.flatMap((event) => (event.kind === 'call' ? [event.call] : []));
        expect(result.toolCalls.slice(0, calls.length)).toEqual(calls);
        const failures = events.flatMap((event) => (event.kind === 'failure' ? [event.failure] : []));
        expect(result.failures.slice(0, failures.length)).toEqual(failures);
      }),
      { numRuns: 500 },
    );
  });

  it.each(['[f(a=1)]', 'Hi\n[ f( a = 1, b="x"), f()] ok', '[f(**{"a":1})]', 'f\n{"a":1}'])(
    'does not say the beginning of %j as content, wherever it is cut',
    (whole) => {
      for (let cut = 0; cut < whole.length; cut++) {
        const { events, result } = streamed(whole, [cut], 'auto', { tools: tools('f'), thinkOpened: false });
        expect(result.content.startsWith(said(events, 'content'))).toBe(true);
      }
    },
  );

  it('gives reasoning, content and calls as soon as they are certain', () => {
    const parser = createStreamParser('hermes');
    const seen = [
      '<think>I lo',
      'ok around.</th',
      'ink>On',
      ' it.\n<tool_',
      'call>{"name":"t","arguments":',
      '{"a":1}}</tool_call',
      '>Then',
    ].map((chunk) => parser.push(chunk).map((event) => ('text' in event ? event.text : event.kind)));
    expect(seen).toEqual([['I lo'], ['ok around.'], ['On'], [' it.'], [], [], ['call', '\nThen']]);
  });

  it('says nothing of a text whose think block the template may have opened, unless told', () => {
    const silent = createStreamParser('deepseek');
    expect(silent.push('maybe <tool_call>{"name":"t","arguments":{}}</tool_call>')).toEqual([]);
    silent.push('</think>no');
    expect(silent.end()).toMatchObject({ content: 'no', toolCalls: [] });

    const told = createStreamParser('deepseek', { thinkOpened: false });
    expect(told.push('Yes, I do. ')).toEqual([{ kind: 'content', text: 'Yes, I do.' }]);
    const thinking = createStreamParser('deepseek', { thinkOpened: true });
    expect(thinking.push('Hm')).toEqual([{ kind: 'reasoning', text: 'Hm' }]);
  });

  it('gives each call one id, in the event and in the result', () => {
    let next = 0;
    const parser = createStreamParser('hermes', { newId: () => `id-${next++}`, thinkOpened: false });
    const events = parser.push('<tool_call>{"name":"t","arguments":{}}</tool_call>');
    expect(events).toMatchObject([{ kind: 'call', call: { id: 'id-0' } }]);
    expect(parser.end().toolCalls).toMatchObject([{ id: 'id-0' }]);
  });

  it('is read in time that grows with its length, chunk by chunk', () => {
    for (const unit of ['<tool_call>{"a":"', 'words and words ', '{"a":', '<think>x</think>', '`[{']) {
      const parser = createStreamParser('auto', { tools: tools('t') });
      for (let i = 0; i < 15_000; i++) parser.push(unit);
      expect(parser.end().toolCalls).toEqual([]);
    }
  });

  it.each([
    ['<think>İİİ>a', 'n</think>answer İ done', 'answer İ done', 'İİİ>an'],
    ['<think>a İ</thi', 'nk>answer', 'answer', 'a İ'],
    ['İİİİ<tool', ' is what I said', 'İİİİ<tool is what I said', null],
  ])(
    'keeps every character of %j + %j, though a letter grows in lower case',
    (one, two, content, reasoning) => {
      const parser = createStreamParser('hermes', {});
      const events = [...parser.push(one), ...parser.push(two)];
      expect(parser.end()).toMatchObject({ content, reasoning });
      expect(content.startsWith(said(events, 'content'))).toBe(true);
      expect((reasoning ?? '').startsWith(said(events, 'reasoning'))).toBe(true);
    },
  );
});
