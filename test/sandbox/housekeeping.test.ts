import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/core/time.js';
import { type DiskSpace, isDiskShort, watermarkBytes } from '../../src/sandbox/disk-watermark.js';
import type { ImageKeeper, MadeImage } from '../../src/sandbox/image-keeper.js';
import { type ImageReaperDeps, leastRecentlyUsed, reapImages } from '../../src/sandbox/reap-images.js';

const NOW = 100 * DAY_MS;
const GIB = 1024 ** 3;

function image(name: string, more: Partial<MadeImage> = {}): MadeImage {
  return {
    driver: 'docker',
    name,
    kind: 'task',
    bytes: 1,
    createdAtMs: NOW - 30 * DAY_MS,
    lastUsedAtMs: NOW - DAY_MS,
    inUse: false,
    runId: null,
    ...more,
  };
}

/** Removes from a list; the disk is short until so many are gone. */
function round(
  images: MadeImage[],
  options: {
    shortUntil?: number;
    runs?: Record<string, boolean | null>;
    hasRun?: ImageReaperDeps['hasRun'];
  } = {},
) {
  const removed: string[] = [];
  const keeper: ImageKeeper = {
    list: async () => images,
    remove: async ({ name }) => {
      if (name === 'stubborn') return false;
      removed.push(name);
      return true;
    },
    dataRoot: async () => '/data',
  };
  const deps: ImageReaperDeps = {
    keeper,
    now: () => NOW,
    isDiskShort: async () => removed.length < (options.shortUntil ?? 0),
    hasRun: options.hasRun ?? (async (runId) => options.runs?.[runId] ?? null),
  };
  return reapImages(deps).then((count) => {
    expect(count).toBe(removed.length);
    return removed;
  });
}

describe('images of tasks that longrun built', () => {
  const images = [
    image('yesterday'),
    image('last-week', { lastUsedAtMs: NOW - 7 * DAY_MS }),
    image('in-use', { lastUsedAtMs: NOW - 20 * DAY_MS, inUse: true }),
    image('just-built', { lastUsedAtMs: NOW - MINUTE_MS }),
    image('last-hour', { lastUsedAtMs: NOW - HOUR_MS }),
  ];

  it('stay while the disk has room', async () => {
    expect(await round(images)).toEqual([]);
  });

  it('go when it has not, the least recently used first, until there is room', async () => {
    expect(await round(images, { shortUntil: 2 })).toEqual(['last-week', 'yesterday']);
  });

  it('never go while in use or just made ready, however short the disk is', async () => {
    expect(await round(images, { shortUntil: 99 })).toEqual(['last-week', 'yesterday', 'last-hour']);
  });

  it('are passed over when the engine says that they are in use after all', async () => {
    const stubborn = image('stubborn', { lastUsedAtMs: 0 });
    expect(await round([stubborn, ...images], { shortUntil: 1 })).toEqual(['last-week']);
  });

  it('do not include snapshots, which cannot be made again', () => {
    expect(leastRecentlyUsed([image('kept', { kind: 'snapshot' })], NOW)).toEqual([]);
  });
});

describe('snapshots', () => {
  it('go a day after they were taken when the store has no such run any more; in doubt they stay', async () => {
    const snapshot = (runId: string | null, more: Partial<MadeImage> = {}) =>
      image(`of-${runId}`, { kind: 'snapshot', runId, ...more });
    const images = [
      snapshot('there'),
      snapshot('gone'),
      snapshot('store-is-down'),
      snapshot(null),
      snapshot('gone-but-young', { createdAtMs: NOW - HOUR_MS }),
    ];
    const runs = { there: true, gone: false, 'gone-but-young': false, 'store-is-down': null };
    expect(await round(images, { runs })).toEqual(['of-gone']);
  });

  it('of one run take one look at the store, however many there are', async () => {
    const asked: string[] = [];
    const images = Array.from({ length: 200 }, (_, i) =>
      image(`snapshot-${i}`, { kind: 'snapshot', runId: i % 2 === 0 ? 'gone' : 'there' }),
    );
    const removed = await round(images, {
      hasRun: async (runId) => {
        asked.push(runId);
        return runId === 'there';
      },
    });
    expect(removed).toHaveLength(100);
    expect(asked).toEqual(['gone', 'there']);
  });
});

describe('the disk watermark', () => {
  it('is a tenth of the disk and at most 5 GiB, unless a size is given', () => {
    const disk = (total: number): DiskSpace => ({ freeBytes: 0, totalBytes: total * GIB });
    expect(watermarkBytes(disk(20), null)).toBe(2 * GIB);
    expect(watermarkBytes(disk(1_000), null)).toBe(5 * GIB);
    expect(watermarkBytes(disk(1_000), 20 * GIB)).toBe(20 * GIB);
  });

  it('counts on every disk that fills up: the engine’s and the state folder’s', async () => {
    const free: Record<string, number> = { engine: 4, state: 90 };
    const measure = async (folder: string) => ({
      freeBytes: (free[folder] ?? 0) * GIB,
      totalBytes: 100 * GIB,
    });
    expect(await isDiskShort(['engine', 'state'], null, measure)).toBe(true);
    expect(await isDiskShort(['state'], null, measure)).toBe(false);
    expect(await isDiskShort(['engine', 'state'], 0, measure)).toBe(false);
  });
});
