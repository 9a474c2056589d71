import { describe, expect, it } from 'vitest';
import { tools } from '../tools.js';
import { outcome } from './outcome.js';

const read = (text: string) => outcome(text, 'harmony', tools('f', 'g'));
const analysis = '<|channel|>analysis<|message|>Hm.<|end|>';
const JSON_A = '<|message|>{"a":1}<|call|>';

describe('a text of gpt-oss', () => {
  it('is reasoning in the analysis channel and content in the others', () => {
    const text =
      `${analysis}<|start|>assistant<|channel|>commentary<|message|>**Plan**<|end|>` +
      '<|start|>assistant<|channel|>analysis<|message|>More.<|end|>' +
      '<|start|>assistant<|channel|>final<|message|>2 + 2 = 4<|return|>';
    expect(read(text)).toEqual({
      calls: [],
      failures: [],
      content: '**Plan** 2 + 2 = 4',
      reasoning: 'Hm.\n\nMore.',
    });
  });

  it.each([
    ['with the channel', '<|channel|>commentary to=functions.f <|constrain|>json'],
    ['with the role', '<|start|>assistant to=functions.f<|channel|>commentary <|constrain|>json'],
    ['in the analysis channel', '<|channel|>analysis to=functions.f <|constrain|>json'],
    ['without a content type', '<|channel|>commentary to=functions.f'],
    ['without its mark', '<|channel|>commentary to=functions.f json'],
    ['with a channel too many', '<|channel|>commentary to=functions.f<|channel|>commentary<|constrain|>json'],
    ['without a namespace', '<|channel|>commentary to=f'],
  ])('calls a tool, named %s', (_title, header) => {
    expect(read(`${analysis}${header}${JSON_A}`)).toEqual({
      calls: [['f', { a: 1 }]],
      failures: [],
      content: '',
      reasoning: 'Hm.',
    });
  });

  it('may end without the token that stopped the model, and calls several tools', () => {
    const text =
      '<|channel|>commentary to=functions.f<|message|>{"a":"<|end|>"}<|call|>' +
      '<|start|>assistant<|channel|>commentary to=functions.g<|message|><|call|>' +
      '<|start|>assistant<|channel|>commentary to=functions.g <|constrain|>json<|message|>{"b":2}';
    expect(read(text)).toMatchObject({
      calls: [
        ['f', { a: '<|end|>' }],
        ['g', {}],
        ['g', { b: 2 }],
      ],
      failures: [],
    });
  });

  it('may lack an end or a beginning', () => {
    const text =
      '<|channel|>analysis<|message|>Hm.<|channel|>commentary to=functions.f<|message|>{"a":1}' +
      '<|start|>assistant<|channel|>final<|message|>Done.';
    expect(read(text)).toEqual({
      calls: [['f', { a: 1 }, 'missing_close_tag']],
      failures: [],
      content: 'Done.',
      reasoning: 'Hm.',
    });
  });

  it('keeps calls beside a broken one, and runs none that is cut off', () => {
    const text =
      '<|channel|>commentary to=functions.f<|message|>{"a":}<|call|>' +
      `<|start|>assistant<|channel|>commentary to=functions.g${JSON_A}` +
      '<|start|>assistant<|channel|>commentary to=functions.f<|message|>{"a":"x';
    expect(read(text)).toMatchObject({ calls: [['g', { a: 1 }]], failures: ['bad_json', 'truncated'] });
  });

  it('keeps the namespace of a tool that is no function', () => {
    expect(read(`<|channel|>analysis to=browser.search${JSON_A}`).calls).toEqual([
      ['browser.search', { a: 1 }],
    ]);
  });

  it('that only mentions a token is prose', () => {
    const text = 'Each message begins with <|channel|> and a name.';
    expect(read(text)).toMatchObject({ calls: [], failures: [], content: text });
  });
});
