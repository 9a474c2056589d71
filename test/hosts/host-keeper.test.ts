import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LongrunError } from '../../src/core/errors.js';
import { HostKeeper, type KeptWorker } from '../../src/hosts/host-keeper.js';

/** The lock of a state folder, as several processes would see it. */
class Lock {
  holder: string | null = null;
  starter(name: string) {
    return async (): Promise<KeptWorker> => {
      if (this.holder !== null) throw new LongrunError('host_locked', `${this.holder} has it`);
      this.holder = name;
      const release = async () => {
        this.holder = null;
      };
      return { shutdown: release, done: new Promise(() => {}) };
    };
  }
}

describe('who works for a state folder', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const fail = (error: unknown) => expect.fail(String(error));

  it('is the first who comes; the second waits, and takes over when the first has gone', async () => {
    const lock = new Lock();
    const first = new HostKeeper(lock.starter('first'), fail);
    const second = new HostKeeper(lock.starter('second'), fail);
    await first.begin();
    await second.begin();
    expect([first.hosting, second.hosting]).toEqual([true, false]);
    await first.end();
    await vi.advanceTimersByTimeAsync(1_100);
    expect(second.hosting).toBe(true);
    expect(lock.holder).toBe('second');
    await second.end();
    expect(lock.holder).toBeNull();
  });

  it('is nobody any more once a waiting one has left', async () => {
    const lock = new Lock();
    lock.holder = 'other';
    const waiting = new HostKeeper(lock.starter('waiting'), fail);
    await waiting.begin();
    await waiting.end();
    lock.holder = null;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(lock.holder).toBeNull();
  });

  it('is told when the worker cannot start for another reason than the lock', async () => {
    const broken = new HostKeeper(async () => {
      throw new LongrunError('temporal_unreachable', 'gone');
    }, fail);
    await expect(broken.begin()).rejects.toMatchObject({ code: 'temporal_unreachable' });
  });
});
