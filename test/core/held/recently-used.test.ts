import { beforeEach, describe, expect, it } from 'vitest';
import { RecentlyUsed } from '../../../src/core/held/recently-used.js';
import { MINUTE_MS } from '../../../src/core/time.js';
import { MemoryDriver } from '../../../src/sandbox/memory/index.js';
import { PreparedImages } from '../../../src/sandbox/prepared-images.js';
import { tarOf } from '../../sandbox/conformance/tar.js';

let now: number;
beforeEach(() => {
  now = 0;
});

describe('values that can be had anew', () => {
  it('stay few in a process that is asked for others all the time', () => {
    const values = new RecentlyUsed<number>(100, () => now);
    for (; now < 20_000; now++) {
      values.set(`value-${now}`, now);
      expect(values.size).toBeLessThanOrEqual(100);
    }
  });

  it('stay for as long as they are asked for', () => {
    const values = new RecentlyUsed<string>(100, () => now);
    values.set('often', 'a');
    values.set('once', 'b');
    for (let nth = 0; nth < 10; nth++) {
      now += 60;
      expect(values.get('often')).toBe('a');
      values.set('other', 'c');
    }
    expect(values.get('once')).toBeUndefined();
  });
});

describe('images in a process', () => {
  it('go when no sandbox was made of them in a while, and are made anew when one is', async () => {
    const driver = new MemoryDriver(() => now);
    let loaded = 0;
    const context = async () => {
      loaded += 1;
      return tarOf([{ name: 'Dockerfile', data: 'FROM debian:bookworm-slim\nCOPY Dockerfile /app/\n' }]);
    };
    const prepare = (digit: number) => {
      const sha256 = digit.toString(16).repeat(64);
      const source = { kind: 'dockerfile' as const, context: { sha256, bytes: 1 }, buildTimeoutMs: 1_000 };
      return driver.prepareImage(source, context, new AbortController().signal);
    };
    await prepare(1);
    await prepare(1);
    expect(loaded).toBe(1);
    now += 11 * MINUTE_MS;
    await prepare(2);
    await prepare(1);
    expect(loaded).toBe(3);
    await driver.close();
  });

  it('stay while they are being made, however long that takes', async () => {
    const images = new PreparedImages<string>(() => now);
    let finish = (_: string): void => undefined;
    const made = new Promise<string>((resolve) => {
      finish = resolve;
    });
    const slow = images.prepare('slow', () => made);
    now += 60 * MINUTE_MS;
    await images.prepare('other', async () => 'other');
    const again = images.prepare('slow', async () => 'a second one');
    finish('the first one');
    expect(await Promise.all([slow, again])).toEqual(['the first one', 'the first one']);
  });

  it('may be made again when that failed', async () => {
    const images = new PreparedImages<string>(() => now);
    const failing = images.prepare('image', () => Promise.reject(new Error('no room')));
    await expect(failing).rejects.toThrow('no room');
    expect(images.size).toBe(0);
    expect(await images.prepare('image', async () => 'image')).toBe('image');
  });
});
