import { expect, it } from 'vitest';
import { ArgumentChecker } from '../../../src/trajectories/filter/argument-checker.js';

it('reads schemas of the dialects that tools use', () => {
  const checker = new ArgumentChecker();
  const schema = { type: 'object', properties: { n: { type: 'integer' } } };
  for (const $schema of [
    undefined,
    'http://json-schema.org/draft-07/schema#',
    'https://json-schema.org/draft/2019-09/schema',
    'https://json-schema.org/draft/2020-12/schema',
  ]) {
    expect(checker.problem('t', { ...schema, ...($schema && { $schema }) }, { n: 1 })).toBeNull();
    expect(checker.problem('t', { ...schema, ...($schema && { $schema }) }, { n: 'x' })).toBe(
      '/n must be integer',
    );
  }
  expect(checker.uncheckable.size).toBe(0);
});

it.each([
  ['a reference to another document', { $ref: 'https://example.org/tool.json' }],
  ['Python in the place of JSON Schema', { type: 'dict', properties: {} }],
  ['an unknown dialect', { $schema: 'https://example.org/dialect', type: 'object' }],
  ['a pattern that is none', { properties: { a: { type: 'string', pattern: '(' } } }],
])('says of %s that it cannot be checked, and lets arguments pass', (_title, schema) => {
  const checker = new ArgumentChecker();
  expect(checker.problem('odd', schema, { a: 'x' })).toBeNull();
  expect(checker.problem('odd', schema, { a: 'x' })).toBeNull();
  expect([...checker.uncheckable.keys()]).toEqual(['odd']);
});

it('keeps tools apart that carry the same $id', () => {
  const checker = new ArgumentChecker();
  const schema = (type: string) => ({ $id: 'tool', type: 'object', properties: { a: { type } } });
  expect(checker.problem('one', schema('string'), { a: 'x' })).toBeNull();
  expect(checker.problem('two', schema('number'), { a: 'x' })).toBe('/a must be number');
});

it('keeps tools apart whose schemas name their parts alike', () => {
  const checker = new ArgumentChecker();
  const schema = (type: string) => ({
    properties: { a: { $ref: 'part' } },
    $defs: { part: { $id: 'part', type } },
  });
  expect(checker.problem('one', schema('string'), { a: 1 })).toBe('/a must be string');
  expect(checker.problem('two', schema('number'), { a: 'x' })).toBe('/a must be number');
  expect(checker.uncheckable.size).toBe(0);
});

it('never changes the arguments that it looks at', () => {
  const args = { n: '1' };
  new ArgumentChecker().problem('t', { properties: { n: { type: 'integer' }, d: { default: 1 } } }, args);
  expect(args).toEqual({ n: '1' });
});
