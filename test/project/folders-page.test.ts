import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { withFolders } from '../../scripts/docs/folders.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

test('docs/architecture.md lists the folders in their order (node scripts/generate-docs.mjs)', () => {
  const page = readFileSync(`${ROOT}docs/architecture.md`, 'utf8');
  expect(page).toBe(withFolders(page));
});
