import { expect, it } from 'vitest';
import { LongrunError } from '../../src/core/errors.js';
import type { ArtifactStore } from '../../src/store/store.js';
import { WatchedStore } from '../../src/store/watched-store.js';
import { tempStore } from './temp-store.js';

const VALUE = new TextEncoder().encode('x');

/** A store that says what it tells, and that can be full from one moment to another. */
async function watchedStore() {
  const real = await tempStore();
  const state = { full: false };
  const write = async <T>(operation: () => Promise<T>): Promise<T> => {
    if (state.full) throw new LongrunError('store_full', 'no space left', { retryable: true });
    return operation();
  };
  const store: ArtifactStore = {
    get: (key) => real.get(key),
    has: (key) => real.has(key),
    children: (prefix) => real.children(prefix),
    remove: (key) => real.remove(key),
    locate: (key) => real.locate(key),
    put: (key, value) => write(() => real.put(key, value)),
    putIfAbsent: async (key, value) =>
      (await real.get(key)) === null && write(() => real.putIfAbsent(key, value)),
  };
  const told: string[] = [];
  const watched = new WatchedStore(store, {
    onTrouble: ({ code }) => told.push(code),
    onRecovered: () => told.push('recovered'),
  });
  return { watched, told, state };
}

it('tells of a store that cannot be written once, and that it is back only when it can be', async () => {
  const { watched, told, state } = await watchedStore();
  expect(await watched.putIfAbsent('runs/a', VALUE)).toBe(true);
  state.full = true;
  for (let i = 0; i < 3; i++)
    await expect(watched.putIfAbsent('runs/b', VALUE)).rejects.toMatchObject({ code: 'store_full' });
  expect(await watched.get('runs/a')).not.toBeNull();
  expect(told).toEqual(['store_full']);
  state.full = false;
  await watched.putIfAbsent('runs/b', VALUE);
  expect(told).toEqual(['store_full', 'recovered']);
});

it('does not take for its return what needs no write', async () => {
  const { watched, told, state } = await watchedStore();
  await watched.put('runs/a', VALUE);
  state.full = true;
  await expect(watched.put('runs/b', VALUE)).rejects.toMatchObject({ code: 'store_full' });
  expect(await watched.putIfAbsent('runs/a', VALUE)).toBe(false);
  await watched.remove('runs/missing');
  expect(told).toEqual(['store_full']);
  state.full = false;
  await watched.put('runs/b', VALUE);
  expect(told).toEqual(['store_full', 'recovered']);
});

it('does not take for its return what was begun before it failed', async () => {
  const { watched, told, state } = await watchedStore();
  const early = watched.put('runs/a', VALUE);
  state.full = true;
  const late = watched.put('runs/b', VALUE);
  await expect(late).rejects.toMatchObject({ code: 'store_full' });
  await early;
  expect(told).toEqual(['store_full']);
});
