import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { UnsyncedFolders } from '../../src/store/filesystem/unsynced-folders.js';
import { bytes, tempStore } from './temp-store.js';

const ROOT = '/store';
const MOST_KEPT = 256;

function watched(syncing: (folder: string) => Promise<void> | void = () => undefined) {
  const synced: string[] = [];
  const folders = new UnsyncedFolders(ROOT, async (folder) => {
    synced.push(folder);
    await syncing(folder);
  });
  return { folders, synced };
}

/** What a write into a new folder of a new turn changes. */
const newTurn = (n: number) => [`${ROOT}/r/${n}/intents`, `${ROOT}/r/${n}`, `${ROOT}/r`];

describe('folders that were made without being synced', () => {
  it('stay few, however many a process has made', async () => {
    const { folders, synced } = watched();
    for (let n = 0; n < 20_000; n++) {
      await folders.note(newTurn(n));
      expect(folders.size).toBeLessThanOrEqual(MOST_KEPT);
    }
    // None is forgotten without having been synced.
    await folders.syncAbove(`${ROOT}/r/last.json`, [`${ROOT}/r`]);
    expect(new Set(synced).size).toBe(20_001 - folders.size);
  });

  it('are none where a file was put into a folder that was there', async () => {
    const { folders } = watched();
    await folders.note([`${ROOT}/r/1/intents`]);
    expect(folders.size).toBe(0);
  });

  it('are synced by the next durable write below them, and then no more', async () => {
    const { folders, synced } = watched();
    await folders.note(newTurn(1));
    await folders.note(newTurn(2));
    await folders.syncAbove(`${ROOT}/r/1/call.json`, [`${ROOT}/r/1`]);
    expect(synced.sort()).toEqual([`${ROOT}/r`, `${ROOT}/r/1`]);
    expect(folders.size).toBe(1);
    synced.length = 0;
    await folders.syncAbove(`${ROOT}/r/1/call.json`, [`${ROOT}/r/1`]);
    expect(synced).toEqual([`${ROOT}/r/1`]);
  });

  it('are kept when they change while they are being synced', async () => {
    let change: (() => Promise<void>) | null = null;
    const { folders, synced } = watched(async () => change?.());
    await folders.note(newTurn(1));
    change = async () => {
      change = null;
      await folders.note([`${ROOT}/r/1/tools`, `${ROOT}/r/1`]);
    };
    await folders.syncAbove(`${ROOT}/r/1/call.json`, [`${ROOT}/r/1`]);
    expect(folders.size).toBe(1);
    synced.length = 0;
    await folders.syncAbove(`${ROOT}/r/1/tools/0/result.json`, [`${ROOT}/r/1/tools/0`]);
    expect(synced).toContain(`${ROOT}/r/1`);
  });

  it('are kept when they cannot be synced', async () => {
    const { folders } = watched(() => {
      throw Object.assign(new Error('the disk fails'), { code: 'EIO' });
    });
    await folders.note(newTurn(1));
    await expect(folders.syncAbove(`${ROOT}/r/1/call.json`, [`${ROOT}/r/1`])).rejects.toThrow();
    expect(folders.size).toBe(2);
  });

  it('need nothing any more once they are gone', async () => {
    const { folders } = watched(() => {
      throw Object.assign(new Error('no such folder'), { code: 'ENOENT' });
    });
    for (let n = 0; n < 2 * MOST_KEPT; n++) await folders.note(newTurn(n));
    expect(folders.size).toBeLessThanOrEqual(MOST_KEPT);
    folders.forgetBelow(`${ROOT}/r`);
    expect(folders.size).toBe(0);
  });
});

describe('a store in a folder', () => {
  it('goes on with its writes when another process has removed what it made before', async () => {
    const store = await tempStore();
    for (let n = 0; n < 2 * MOST_KEPT; n++) {
      await store.putIfAbsent(`runs/r${n}/intents/one`, bytes('x'), 'process');
      if (n % 2 === 0) await rm(store.locate(`runs/r${n}`), { recursive: true });
    }
    await store.put('runs/last/call.json', bytes('x'));
    expect(existsSync(store.locate('runs/last/call.json'))).toBe(true);
  });
});
