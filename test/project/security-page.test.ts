import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readThreats, securityPage } from '../../scripts/docs/threats.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

test('docs/security.md says what the tests say (node scripts/generate-docs.mjs)', () => {
  expect(readFileSync(`${ROOT}docs/security.md`, 'utf8')).toBe(securityPage(ROOT));
});

test('every threat is held by a test', () => {
  const threats = readThreats(ROOT);
  expect(threats.length).toBeGreaterThan(20);
  expect(threats.filter(({ files }) => [...files.values()].flat().length === 0)).toEqual([]);
});
