import { describe, expect, it } from 'vitest';
import { tools } from '../tools.js';
import { outcome } from './outcome.js';

const read = (text: string) => outcome(text, 'llama', tools('f', 'g'));

describe('calls of Llama in Python notation', () => {
  it('are read, alone, below prose or between marks', () => {
    const calls = [
      ['f', { a: 1, b: 'x' }],
      ['g', {}],
    ];
    expect(read('[f(a=1, b="x"), g()]')).toMatchObject({ calls, content: '' });
    expect(read('I look.\n[f(a=1, b="x"), g()]')).toMatchObject({ calls, content: 'I look.' });
    expect(read('I look.<|python_start|>[f(a=1, b="x"), g()]<|python_end|><|eot|>')).toMatchObject({
      calls,
      content: 'I look.',
    });
  });

  it.each([
    ['-1.5e3', -1500],
    ['0x1F', 31],
    ['1_000', 1000],
    ['True', true],
    ['None', null],
    ['false', false],
    ["'it\\'s'", "it's"],
    ['"a\\n\\t\\x41\\u00e9\\U0001F600\\101\\q"', 'a\n\tAé😀A\\q'],
    ["r'\\d+'", '\\d+'],
    ['"""two\n"lines" """', 'two\n"lines" '],
    ['\'a\' "b"', 'ab'],
    ['[1, [2, (3,)], ()]', [1, [2, [3]], []]],
    ['(1)', 1],
    ['{"k": {1: [None]}, \'l\': "",}', { k: { 1: [null] }, l: '' }],
  ])('have literals of Python: %s', (literal, value) => {
    expect(read(`[f(a=${literal})]`)).toMatchObject({ calls: [['f', { a: value }]], failures: [] });
  });

  it('may be spread over lines, end with a comma, and have names that Python has not', () => {
    expect(read('[\n  f(\n    a=1,\n    **{"b-c": 2},\n  ),\n]').calls).toEqual([['f', { a: 1, 'b-c': 2 }]]);
  });

  it.each([
    '__import__("os").system("x")',
    'g()',
    '1 + 1',
    'a if b else c',
    'lambda: 1',
    'f"{x}"',
    '[x for x in y]',
    '{1, 2}',
  ])('are never evaluated: %s', (expression) => {
    expect(read(`[f(a=${expression}), g(b=1)]`)).toMatchObject({
      calls: [['g', { b: 1 }]],
      failures: ['malformed'],
    });
  });

  it('without names for their arguments fail, and lose no neighbour', () => {
    expect(read('[f("x"), g(b=1)]')).toMatchObject({ calls: [['g', { b: 1 }]], failures: ['malformed'] });
  });

  it('that the text ends in are not run', () => {
    expect(read('[g(b=1), f(a="x')).toMatchObject({ calls: [['g', { b: 1 }]], failures: ['truncated'] });
    expect(read('[g(b=1), f(a=1')).toMatchObject({ calls: [['g', { b: 1 }]], failures: ['truncated'] });
    expect(read('[g(b=1)').calls).toEqual([['g', { b: 1 }, 'missing_close_tag']]);
  });

  it.each(['see [h(a)](b) there', '[h(x=1)] is undefined', '- [h(x)]\n- [k(y)]', 'a[f(x=1)] = 2'])(
    'are not made of prose and code: %j',
    (text) => {
      expect(read(text)).toMatchObject({ calls: [], failures: [] });
    },
  );

  it('nested deeper than anything can use fail', () => {
    expect(read(`[f(a=${'['.repeat(5000)}${']'.repeat(5000)})]`)).toMatchObject({
      calls: [],
      failures: ['malformed'],
    });
  });
});
