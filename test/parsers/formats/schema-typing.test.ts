import { describe, expect, it } from 'vitest';
import { typesOfProperty } from '../../../src/parsers/schema-types.js';
import { typeValue } from '../../../src/parsers/schema-typing.js';

const typed = (text: string, schema: unknown, root: Record<string, unknown> = {}) =>
  typeValue(text, typesOfProperty({ ...root, properties: { p: schema } }, 'p'));
const value = (text: string, schema: unknown) => typed(text, schema).value;
const kinds = (text: string, schema: unknown) => typed(text, schema).repairs.map(({ kind }) => kind);

describe('a value of a tag is typed by the schema of its parameter', () => {
  it.each(['1', '007', 'true', 'null', '{"a": 1}', '"q"', '  indented\n', ''])(
    'text stays text: %j',
    (text) => {
      expect(typed(text, { type: 'string' })).toEqual({ value: text, repairs: [] });
      expect(value(text, { enum: ['a', 'b'] })).toBe(text);
    },
  );

  it.each([
    ['5', { type: 'integer' }, 5],
    [' 5\n', { type: 'integer' }, 5],
    ['5.0', { type: 'integer' }, 5],
    ['-1.5e3', { type: 'number' }, -1500],
    ['7', { type: 'number' }, 7],
    ['true', { type: 'boolean' }, true],
    ['null', { type: 'null' }, null],
    ['[1, "a"]', { type: 'array' }, [1, 'a']],
    ['\n{"a": {}}\n', { type: 'object' }, { a: {} }],
    ['2', { enum: [1, 2] }, 2],
    ['[]', { items: { type: 'string' } }, []],
  ])('%j', (text, schema, expected) => {
    expect(typed(text, schema)).toEqual({ value: expected, repairs: [] });
  });

  it.each([
    ['null', { type: ['string', 'null'] }, null],
    ['none', { anyOf: [{ type: 'string' }, { type: 'null' }] }, 'none'],
    ['3', { anyOf: [{ type: 'string' }, { type: 'integer' }] }, 3],
    ['{"a":1}', { oneOf: [{ type: 'string' }, { type: 'object' }] }, { a: 1 }],
    ["{'a':1}", { oneOf: [{ type: 'string' }, { type: 'object' }] }, "{'a':1}"],
    ['"q"', { type: ['string', 'array'] }, '"q"'],
    ['null', { type: 'integer', nullable: true }, null],
    ['4', { allOf: [{ description: 'a count' }, { type: 'integer' }] }, 4],
    ['x', { anyOf: [{ type: 'integer' }, {}] }, 'x'],
  ])('%j as one of several alternatives, the ones that are not text first', (text, schema, expected) => {
    expect(typed(text, schema)).toEqual({ value: expected, repairs: [] });
  });

  it('references within the schema are followed, and those that go in circles end', () => {
    const root = { $defs: { n: { type: 'integer' }, c: { $ref: '#/$defs/c' } } };
    expect(typed('5', { $ref: '#/$defs/n' }, root).value).toBe(5);
    expect(typed('five', { $ref: '#/$defs/c' }, root)).toEqual({ value: 'five', repairs: [] });
  });

  it.each([
    ['True', { type: 'boolean' }, true, 'python_literals'],
    ['None', { type: ['integer', 'null'] }, null, 'python_literals'],
    ["['a', True]", { type: 'array' }, ['a', true], 'single_quotes'],
    ['(1, 2)', { type: 'array' }, [1, 2], 'python_literals'],
    ['{"a": 1,}', { type: 'object' }, { a: 1 }, 'trailing_comma'],
    ['"[1, 2]"', { type: 'array' }, [1, 2], 'string_encoded_arguments'],
  ])('%j is repaired, which is recorded', (text, schema, expected, repair) => {
    expect(value(text, schema)).toEqual(expected);
    expect(kinds(text, schema)).toContain(repair);
  });

  it.each([
    ['five', { type: 'integer' }],
    ['5.5', { type: 'integer' }],
    ['', { type: 'number' }],
    ['yes', { type: 'boolean' }],
    ['{"a":', { type: 'object' }],
    ['[1]', { type: 'object' }],
    ['{1,2}', { type: 'array' }],
    ['9007199254740993', { type: 'integer' }],
  ])('%j does not fit and is kept as text, which is recorded', (text, schema) => {
    expect(value(text, schema)).toBe(text);
    expect(kinds(text, schema)).toEqual(['kept_as_text']);
  });
});

describe('without a schema a value is text unless it is JSON beyond doubt', () => {
  it.each([
    ['true', true],
    ['null', null],
    ['-2.5', -2.5],
    ['1e5', 100_000],
    ['[1, {"a": "b"}]', [1, { a: 'b' }]],
    ['\n{"a": 1}\n', { a: 1 }],
  ])('%j is JSON', (text, expected) => {
    expect(typeValue(text, null)).toEqual({ value: expected, repairs: [] });
  });

  it.each(['007', '+1', '1.', ' 1', 'True', 'None', '"q"', "['a']", '[1,]', '{1,2}', '1_000', 'NaN', ''])(
    '%j is text',
    (text) => {
      expect(typeValue(text, null)).toEqual({ value: text, repairs: [] });
    },
  );

  it('so it is for a parameter that the schema does not name', () => {
    expect(typesOfProperty({ properties: { p: {} } }, 'q')).toBeNull();
    expect(typesOfProperty({ properties: { p: {} } }, 'p')).toBeNull();
    expect(typesOfProperty({ additionalProperties: { type: 'string' } }, 'q')).toEqual(new Set(['string']));
    expect(typesOfProperty({ properties: {} }, 'constructor')).toBeNull();
  });
});
