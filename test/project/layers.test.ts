import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { type Layer, layerProblems } from '../../scripts/lint/layers.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

const LIST: Layer[] = [
  { folder: 'workflows', holds: 'wiring', temporal: true },
  { folder: 'src/upper', holds: 'what is above' },
  { folder: 'src/pure', holds: 'what knows little', only: ['src/lower/records'] },
  { folder: 'src/lower', holds: 'what is below' },
];
/** What every case may import. */
const THERE = {
  'workflows/there.ts': 'export const a = 1;\n',
  'src/upper/there.ts': 'export interface A {}\nexport const a = 1;\n',
  'src/lower/there.ts': 'export const a = 1;\n',
  'src/lower/records/there.ts': 'export const a = 1;\n',
};

async function problemsOf(files: Record<string, string>): Promise<string[]> {
  const root = await mkdtemp(join(tmpdir(), 'longrun-layers-'));
  folders.push(root);
  for (const top of ['src', 'workflows', 'activities', 'environments', 'bench']) await mkdir(join(root, top));
  for (const [file, code] of Object.entries({ ...THERE, ...files })) {
    await mkdir(join(root, dirname(file)), { recursive: true });
    await writeFile(join(root, file), code);
  }
  return layerProblems(root, LIST);
}

test('no folder of the product imports one above it, and no files import each other', () => {
  expect(layerProblems(ROOT)).toEqual([]);
});

test.each([
  ['a value', `import { a } from '../upper/there.js';\n`],
  ['a type', `import type { A } from '../upper/there.js';\n`],
  ['a type within a type', `export type B = import('../upper/there.js').A;\n`],
  ['a value when it is needed', `export const later = () => import('../upper/there.js');\n`],
  ['what it passes on', `export { a } from '../upper/there.js';\n`],
  ['everything it passes on', `export * from '../upper/there.js';\n`],
])('a folder may not import %s from one above it', async (_what, code) => {
  const [problem, ...others] = await problemsOf({ 'src/lower/bad.ts': code });
  expect(problem).toMatch(/^src\/lower\/bad\.ts:1: src\/lower imports src\/upper\/there\.ts/);
  expect(others).toEqual([]);
});

test('a folder may import those below it and its own', async () => {
  const code = `import { a } from '../lower/there.js';\nexport { a as b } from './there.js';\nexport const c = a;\n`;
  expect(await problemsOf({ 'src/upper/good.ts': code })).toEqual([]);
});

test('a folder that the list does not have is a problem', async () => {
  const [problem] = await problemsOf({ 'src/attic/box.ts': 'export const box = 1;\n' });
  expect(problem).toMatch(
    /^src\/attic\/box\.ts: its folder src\/attic is not in scripts\/lint\/layers\.json/,
  );
});

test('files that import each other are named, also by types', async () => {
  const problems = await problemsOf({
    'src/lower/one.ts': `import type { Two } from './two.js';\nexport type One = Two;\n`,
    'src/lower/two.ts': `import type { One } from './one.js';\nexport type Two = One | null;\n`,
  });
  expect(problems).toEqual([
    expect.stringMatching(
      /^these files import each other: src\/lower\/(one|two)\.ts, src\/lower\/(one|two)\.ts$/,
    ),
  ]);
});

test('a folder that may import little is held to it', async () => {
  const problems = await problemsOf({
    'src/pure/good.ts': `export { a } from '../lower/records/there.js';\n`,
    'src/pure/bad.ts': `export { a } from '../lower/there.js';\n`,
  });
  expect(problems).toEqual([expect.stringMatching(/^src\/pure\/bad\.ts:1: src\/pure may import only/)]);
});

test('only folders that are marked so know Temporal', async () => {
  const code = `import type { Client } from '@temporalio/client';\nexport type C = Client;\n`;
  const problems = await problemsOf({ 'workflows/good.ts': code, 'src/upper/bad.ts': code });
  expect(problems).toEqual([
    expect.stringMatching(/^src\/upper\/bad\.ts:1: src\/upper does not know Temporal/),
  ]);
});
