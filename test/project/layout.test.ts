import { access, readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import picomatch from 'picomatch';
import { expect, test } from 'vitest';
import { TIERS, type TierName, tierPatterns, tiersToRun } from '../support/tiers.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CODE_FOLDERS = ['src', 'workflows', 'activities', 'environments', 'test'];
const TOP_FOLDERS = [...CODE_FOLDERS, 'bench', 'docs', 'scripts'];

async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(`${ROOT}${folder}`, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(ROOT.length));
}

async function countLines(file: string): Promise<number> {
  return (await readFile(`${ROOT}${file}`, 'utf8')).split('\n').length - 1;
}

test('every test file runs in exactly one tier', async () => {
  const tiers = (Object.keys(TIERS) as TierName[]).map((name) => {
    const { include, exclude } = tierPatterns(name);
    return picomatch(include, { ignore: exclude });
  });
  const tests = (await filesUnder('test')).filter((file) => file.endsWith('.test.ts'));
  expect(tests.filter((file) => tiers.filter((matches) => matches(file)).length !== 1)).toEqual([]);
});

test('without an engine the tiers that need one can be left out, by name only', () => {
  expect(tiersToRun(undefined)).toEqual(Object.keys(TIERS));
  expect(tiersToRun('sandbox')).toEqual(['unit', 'replay', 'workflow', 'store', 'peers', 'cli']);
  expect(tiersToRun('replay, cli')).not.toContain('cli');
  expect(() => tiersToRun('sanbox')).toThrow(/sanbox.*sandbox/);
});

test('every top folder explains itself', async () => {
  for (const folder of TOP_FOLDERS) {
    const lines = await countLines(`${folder}/README.md`);
    expect(lines, folder).toBeGreaterThan(4);
    expect(lines, folder).toBeLessThan(25);
  }
});

test('files stay small enough to have one subject', async () => {
  const files = (await Promise.all(CODE_FOLDERS.map(filesUnder)))
    .flat()
    .filter((file) => file.endsWith('.ts'));
  const long: string[] = [];
  for (const file of files) {
    const limit = file.startsWith('test/') ? 500 : 350;
    if ((await countLines(file)) > limit) long.push(file);
  }
  expect(long).toEqual([]);
});

test('the package has what it names', async () => {
  const manifest = JSON.parse(await readFile(`${ROOT}package.json`, 'utf8'));
  expect(manifest).toMatchObject({ name: 'longrun', license: 'Apache-2.0', type: 'module' });
  for (const file of manifest.files.filter((name: string) => !name.includes('dist')))
    await access(`${ROOT}${file}`);
  await access(`${ROOT}${manifest.bin.longrun.replace(/^dist\//, '').replace(/\.js$/, '.ts')}`);
});
