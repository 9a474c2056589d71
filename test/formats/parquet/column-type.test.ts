import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ColumnType,
  jsonPaths,
  typeOf,
  UNKNOWN,
  unify,
} from '../../../src/formats/parquet/column-type.js';
import { Float } from '../../../src/formats/python-json.js';

const columns = (rows: unknown[]): ColumnType =>
  rows.reduce((type: ColumnType, row) => unify(type, typeOf(row)), UNKNOWN);

function column(...values: unknown[]): ColumnType | undefined {
  const type = columns(values.map((value) => ({ column: value })));
  return type.kind === 'struct' ? type.fields.get('column') : undefined;
}

describe('the type of a column', () => {
  it.each([
    ['integers', [1, 2, null], { kind: 'integer' }],
    ['whole numbers that are none', [new Float(1)], { kind: 'float' }],
    ['integers, then a fraction', [1, 0.5], { kind: 'float' }],
    ['nothing for long, then a number', [null, null, new Float(0.5)], { kind: 'float' }],
    ['empty lists, then strings', [[], ['a']], { kind: 'list', item: { kind: 'string' } }],
    ['a number, then a word', [1, 'one'], { kind: 'json' }],
    ['a list, then a dictionary', [[], { a: 1 }], { kind: 'json' }],
    ['only nulls', [null], { kind: 'unknown' }],
  ])('of %s', (_, values, type) => {
    expect(column(...values)).toEqual(type);
  });

  it('has every field that any row has, in the order in which they came', () => {
    const type = column({ role: 'user' }, { role: 'tool', name: 'ls' });
    expect(type?.kind === 'struct' && [...type.fields.keys()]).toEqual(['role', 'name']);
  });

  it('is JSON text where the keys of a dictionary are data', () => {
    const row = {
      metadata: { a: 1 },
      calls: [{ name: 'ls', arguments: { path: '.' } }],
      overrides: [{ x: 1 }],
      empty: {},
    };
    expect(jsonPaths(typeOf(row))).toEqual(['metadata', 'calls[].arguments', 'overrides[]', 'empty']);
    const wide = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`key${i}`, i]));
    expect(column({ first: 1 }, wide)).toEqual({ kind: 'json' });
  });

  it('does not depend on the order of the rows', () => {
    const rows = fc.array(
      fc.dictionary(fc.constantFrom('a', 'b', 'metadata'), fc.jsonValue(), { maxKeys: 3 }),
      {
        minLength: 1,
        maxLength: 6,
      },
    );
    const sorted = (type: ColumnType): unknown => {
      if (type.kind === 'list') return { list: sorted(type.item) };
      if (type.kind !== 'struct') return type.kind;
      return Object.fromEntries([...type.fields].sort().map(([name, field]) => [name, sorted(field)]));
    };
    fc.assert(
      fc.property(rows, (found) => {
        expect(sorted(columns(found.toReversed()))).toEqual(sorted(columns(found)));
      }),
    );
  });
});
