import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { configFileJsonSchema } from '../../src/config/file-json-schema.js';
import { configReference } from '../../src/config/reference.js';

const docs = (name: string): string =>
  readFileSync(new URL(`../../docs/reference/${name}`, import.meta.url), 'utf8');

it('the settings reference in docs is what the schema says (node scripts/generate-docs.mjs makes it)', () => {
  expect(docs('config.md')).toBe(configReference());
});

it('the JSON Schema for editors in docs is what the schema says (node scripts/generate-docs.mjs makes it)', () => {
  expect(JSON.parse(docs('longrun.schema.json'))).toEqual(configFileJsonSchema());
});
