import { expect, it } from 'vitest';
import { LongrunError } from '../../src/core/errors.js';
import type { ArtifactStore } from '../../src/store/store.js';
import { WatchedStore } from '../../src/store/watched-store.js';
import { tempStore } from './temp-store.js';

const VALUE = new TextEncoder().encode('x');

it('tells of a store that cannot be written once, and that it is back only when it can be', async () => {
  const real = await tempStore();
  let full = false;
  const store: ArtifactStore = {
    get: (key) => real.get(key),
    children: (prefix) => real.children(prefix),
    remove: (key) => real.remove(key),
    locate: (key) => real.locate(key),
    put: (key, value) => real.put(key, value),
    putIfAbsent: async (key, value) => {
      if (full) throw new LongrunError('store_full', 'no space left', { retryable: true });
      return real.putIfAbsent(key, value);
    },
  };
  const told: string[] = [];
  const watched = new WatchedStore(store, {
    onTrouble: ({ code }) => told.push(code),
    onRecovered: () => told.push('recovered'),
  });
  expect(await watched.putIfAbsent('runs/a', VALUE)).toBe(true);
  full = true;
  for (let i = 0; i < 3; i++)
    await expect(watched.putIfAbsent('runs/b', VALUE)).rejects.toMatchObject({ code: 'store_full' });
  expect(await watched.get('runs/a')).not.toBeNull();
  expect(told).toEqual(['store_full']);
  full = false;
  await watched.putIfAbsent('runs/b', VALUE);
  expect(told).toEqual(['store_full', 'recovered']);
});
