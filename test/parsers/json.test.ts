import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readArguments } from '../../src/parsers/json/read-arguments.js';
import { type JsonOptions, readJson } from '../../src/parsers/json/read-json.js';
import { createSource } from '../../src/parsers/source.js';

const END = '</x>';
const read = (text: string, options: JsonOptions = { until: [END] }) =>
  readJson(createSource(text), 0, options);

describe('JSON as models write it is read, and what was repaired is said', () => {
  it.each<[title: string, text: string, value: unknown, repairs: string[]]>([
    ['sound JSON', '{"a":[1,-2.5e3,true,null]}</x>', { a: [1, -2500, true, null] }, []],
    ['the closing mark within a text', '{"a":"</x>"}</x>', { a: '</x>' }, []],
    ['raw line breaks and tabs', '{"a":"x\n\ty"}</x>', { a: 'x\n\ty' }, ['raw_control_characters']],
    ['backslashes of patterns', '{"a":"\\d+ \\$HOME"}</x>', { a: '\\d+ \\$HOME' }, ['invalid_escape']],
    ['commas before closers', '{"a":[1,],}</x>', { a: [1] }, ['trailing_comma']],
    ['single quotes', `{'a':'it\\'s "x"'}</x>`, { a: 'it\'s "x"' }, ['single_quotes']],
    [
      'Python literals',
      '{"a":True,"b":None,"c":(1,2)}</x>',
      { a: true, b: null, c: [1, 2] },
      ['python_literals'],
    ],
    [
      'unescaped quotes in pairs',
      '{"a":"say "hi" now","b":1}</x>',
      { a: 'say "hi" now', b: 1 },
      ['unescaped_quotes'],
    ],
    ['closers missing before the mark', '{"a":{"b":[1</x>', { a: { b: [1] } }, ['unclosed_json']],
    ['closers too many', '{"a":1}}]</x>', { a: 1 }, ['surplus_closers']],
    ['a code fence', '```json\n{"a":1}\n```</x>', { a: 1 }, ['code_fence']],
    ['escaped unicode', '{"a":"\\u00e9\\ud83e\\udd9c"}</x>', { a: 'é🦜' }, []],
    ['equal keys: the last counts', '{"a":1,"a":2}</x>', { a: 2 }, []],
    [
      'numbers beyond 2^53, rounded as JSON.parse rounds',
      '{"a":12345678901234567890}</x>',
      JSON.parse('{"a":12345678901234567890}'),
      [],
    ],
  ])('%s', (_title, text, value, repairs) => {
    const result = read(text);
    expect(result).toMatchObject({ ok: true, value });
    expect(result.ok && result.repairs.map(({ kind }) => kind)).toEqual(repairs);
    expect(text.slice(result.end)).toMatch(/^\s*<\/x>$/);
  });
});

describe('JSON that could mean several things or was cut off is no value', () => {
  it.each<[title: string, text: string, code: string]>([
    ['a text cut by the mark', '{"a":"rm -rf /tmp</x>', 'truncated'],
    ['a text cut by the end', '{"a":"rm -rf /tmp', 'truncated'],
    ['a number that may go on', '{"a":12', 'truncated'],
    ['arguments that may go on', '{"a":"x"', 'truncated'],
    ['a comma and nothing behind it', '{"a":1,</x>', 'truncated'],
    ['a word cut short', '{"a":tru', 'truncated'],
    ['quotes that can be paired in several ways', '{"a":"echo "x", "b":"c""}</x>', 'bad_json'],
    ['a missing value', '{"a":}</x>', 'bad_json'],
    ['a missing comma', '{"a":1 "b":2}</x>', 'bad_json'],
    ['keys without quotes', '{a:1}</x>', 'bad_json'],
    ['NaN', '{"a":NaN}</x>', 'bad_json'],
    ['a number without bounds', '{"a":1e999}</x>', 'bad_json'],
    ['more than 500 levels', `${'['.repeat(501)}${']'.repeat(501)}</x>`, 'bad_json'],
  ])('%s', (_title, text, code) => {
    const result = read(text);
    expect(result).toMatchObject({ ok: false, code });
    expect(result.end).toBe(text.includes(END) ? text.indexOf(END) : text.length);
  });

  it('may lack closers at the end of the text only as far as the format says', () => {
    expect(read('{"name":"f","arguments":{"a":1}', { mayMiss: 1 })).toMatchObject({ ok: true });
    expect(read('{"name":"f","arguments":{"a":true', { mayMiss: 1 })).toMatchObject({ ok: false });
  });
});

it('keys like __proto__ are data and reach no prototype', () => {
  const result = read('{"__proto__":{"polluted":true},"constructor":1}</x>');
  const value = (result.ok ? result.value : {}) as Record<string, unknown>;
  expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

it('whatever JSON.stringify writes is read as JSON.parse reads it, without repairs', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.boolean(), (value, pretty) => {
      const text = JSON.stringify(value, null, pretty ? 2 : 0);
      expect(read(`${text}</x>`)).toMatchObject({ ok: true, value: JSON.parse(text), repairs: [] });
    }),
    { numRuns: 300 },
  );
});

it('no beginning of an object in which a value is cut is read as a whole', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.string(), { minKeys: 1 }), fc.nat(), (value, at) => {
      const text = JSON.stringify({ command: value, last: 'never closed' });
      const cut = text.slice(0, at % text.length);
      expect(read(cut, {}).ok).toBe(false);
    }),
    { numRuns: 300 },
  );
});

describe('arguments', () => {
  const args = (text: string) => readArguments(createSource(text), 0, { until: [END] });

  it('may be a text that holds JSON, even twice encoded, and empty ones are none', () => {
    const once = JSON.stringify('{"a":1}');
    expect(args(`${once}</x>`)).toMatchObject({ ok: true, arguments: { a: 1 } });
    expect(args(`${JSON.stringify(once)}</x>`)).toMatchObject({ ok: true, arguments: { a: 1 } });
    expect(args('""</x>')).toMatchObject({ ok: true, arguments: {}, repairs: [] });
    expect(args('null</x>')).toMatchObject({ ok: true, arguments: {}, repairs: [] });
  });

  it('written twice are taken once, two different ones are not chosen from', () => {
    const twice = args('{"a":1}{"a": 1}</x>');
    expect(twice).toMatchObject({ ok: true, arguments: { a: 1 }, repairs: [{ kind: 'duplicated_json' }] });
    expect(args(`${JSON.stringify('{"a":1}{"a":1}')}</x>`)).toMatchObject({ ok: true, arguments: { a: 1 } });
    expect(args(`${JSON.stringify('{"a":1}{"a":2}')}</x>`)).toMatchObject({ ok: false, code: 'bad_json' });
  });

  it.each(['[1]', '5', 'true', '"[1]"'])('that are %s are refused', (text) => {
    expect(args(`${text}</x>`)).toMatchObject({ ok: false, code: 'not_an_object' });
  });
});
