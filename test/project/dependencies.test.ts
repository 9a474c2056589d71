import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const read = (name: string) => readFile(new URL(`../../${name}`, import.meta.url), 'utf8');

test('every dependency has its line in docs/dependencies.md, and no line is left over', async () => {
  const { dependencies, devDependencies } = JSON.parse(await read('package.json'));
  const rows = (await read('docs/dependencies.md')).split('## Programs')[0]?.split('\n') ?? [];
  const named = rows
    .filter((row) => row.startsWith('| `'))
    .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1]));
  expect(named.sort()).toEqual([...Object.keys(dependencies), ...Object.keys(devDependencies)].sort());
});
