import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';

interface LockedPackage {
  version?: string;
  optionalDependencies?: Record<string, string>;
}

const ROOT = new URL('../../', import.meta.url);
const text = await readFile(new URL('package-lock.json', ROOT), 'utf8');
const packages: Record<string, LockedPackage> = JSON.parse(text).packages;

test('the lockfile names versions, and no place to download them from', () => {
  expect(text).not.toMatch(/"resolved": "https?:/);
  expect(text).not.toMatch(/https?:\/\/(registry|npm)\./);
});

test('the lockfile holds the packages of every platform, or a clean install fails', () => {
  const missing = Object.entries(packages)
    .filter(([path]) => path !== '')
    .flatMap(([path, { optionalDependencies }]) =>
      Object.keys(optionalDependencies ?? {}).filter((name) => !isLocked(name, path)),
    );
  expect(missing).toEqual([]);
});

test('Temporal and we share one copy of protobufjs: types of two copies refuse each other', () => {
  const fromHere = createRequire(import.meta.url);
  const users = ['client', 'common', 'proto', 'worker'].map((name) => `@temporalio/${name}`);
  const copies = users.map((name) => {
    const folder = dirname(fromHere.resolve(`${name}/package.json`));
    return createRequire(`${folder}/`).resolve('protobufjs');
  });
  expect(new Set([...copies, fromHere.resolve('protobufjs')]).size).toBe(1);
});

/** As Node resolves it: in the package's own node_modules folder or in one above. */
function isLocked(name: string, from: string): boolean {
  for (let path = from; ; path = path.slice(0, Math.max(0, path.lastIndexOf('/node_modules/')))) {
    if (`${path === '' ? '' : `${path}/`}node_modules/${name}` in packages) return true;
    if (path === '') return false;
  }
}
