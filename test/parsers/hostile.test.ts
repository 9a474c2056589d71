import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FAMILIES, parse } from '../../src/parsers/index.js';
import { PROBES } from './probe-inputs.js';
import { SAMPLES } from './samples.js';
import { tools } from './tools.js';

const MEGABYTE = 1_000_000;
const TEXTS = [...PROBES, ...SAMPLES].map(({ text }) => text);

describe('a megabyte of text made to be slow is read within the time of a test', () => {
  it.each([
    '<tool_call>',
    '{"',
    '[[[[',
    '<think>',
    '</think>',
    '<think></think>',
    '<tool_call>{"a":',
    '{"name":"',
    '{"name":"\\',
    '<tool_call>{"name":"x","arguments":{"a":"',
    "<tool_call>{'a':'",
    '<tool_call>{"name":"a","arguments":{"b":"c" d"',
    '{"name":"f","arguments":{}}',
    '{"name":"f","arguments":{"a":',
    '<tool_call>\n',
    '<tool_call> ',
    '; {',
    '}\n{"name":',
    '```json\n',
    '<|python_tag|>{"',
    '[TOOL_CALLS]',
    '<function=',
    '<｜tool▁calls▁begin｜>',
    '<|tool_call_begin|>',
    '\\',
    '"',
  ])('%j over and over', (unit) => {
    const text = unit.repeat(MEGABYTE / unit.length);
    expect(() => parse(text, { family: 'auto', tools: tools('f', 'x') })).not.toThrow();
  });

  it('deep nesting fails as a call, not as a program', () => {
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    const text = `<tool_call>{"name":"f","arguments":${deep}}</tool_call>`;
    const { failures } = parse(text, { family: 'hermes' });
    expect(failures).toMatchObject([{ code: 'bad_json' }]);
    expect(failures[0]?.message).toContain('500 levels');
  });
});

describe('any text at all', () => {
  /** Something out of a real answer, changed in a place. */
  const mutated = fc
    .tuple(fc.constantFrom(...TEXTS), fc.nat(), fc.nat(12), fc.oneof(fc.string(), fc.constantFrom(...TEXTS)))
    .map(([text, at, length, other]) => {
      const from = at % (text.length + 1);
      return text.slice(0, from) + other + text.slice(from + length);
    });

  it('is read without an exception, and nothing that was said gets lost', () => {
    const text = fc.oneof(
      mutated,
      fc.string({ unit: 'binary' }),
      fc.array(mutated, { maxLength: 4 }).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(text, fc.constantFrom('auto', 'unknown', ...FAMILIES), (whole, family) => {
        const result = parse(whole, { family, tools: tools('f', 't') });
        for (const { raw, offset } of result.failures)
          expect(whole.slice(offset, offset + raw.length)).toBe(raw);
        for (const { raw } of result.toolCalls) expect(whole).toContain(raw);
        expect(result.content).toBe(result.content.trim());
        const kept = [result.content, result.reasoning, ...result.toolCalls.map(({ raw }) => raw)];
        const said = [...kept, ...result.failures.map(({ raw }) => raw)].join('').trim();
        if (/\p{L}/u.test(whole)) expect(said).not.toBe('');
      }),
      { numRuns: 200 },
    );
  });
});
