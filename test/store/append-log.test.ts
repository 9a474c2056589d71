import { expect, it } from 'vitest';
import { z } from 'zod';
import { AppendLog } from '../../src/store/append-log.js';
import { tempStore } from './temp-store.js';

const entrySchema = z.object({ schemaVersion: z.literal(1), writer: z.number(), nth: z.number() });
const entry = (writer: number, nth: number) => ({ schemaVersion: 1 as const, writer, nth });

it('keeps every entry of several writers at once, numbered without gaps, each writer in its own order', async () => {
  const store = await tempStore();
  const logOf = () => new AppendLog(store, entrySchema, 'log');
  const writers = [0, 1, 2, 3];
  const numbers = await Promise.all(
    writers.map(async (writer) => {
      const log = logOf();
      const taken: number[] = [];
      for (let nth = 0; nth < 10; nth++) taken.push(await log.append(entry(writer, nth)));
      return taken;
    }),
  );
  expect(numbers.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n));
  const reader = logOf();
  expect(await reader.length()).toBe(40);
  const read = await Promise.all(Array.from({ length: 40 }, (_, n) => reader.read(n)));
  for (const writer of writers)
    expect(read.filter((found) => found?.writer === writer).map((found) => found?.nth)).toEqual(
      Array.from({ length: 10 }, (_, nth) => nth),
    );
});

it('finds its end wherever that is', async () => {
  const store = await tempStore();
  const writer = new AppendLog(store, entrySchema, 'log');
  const follower = new AppendLog(store, entrySchema, 'log');
  expect(await writer.last()).toBeNull();
  for (let n = 0; n < 20; n++) {
    expect(await new AppendLog(store, entrySchema, 'log').length()).toBe(n);
    if (n % 7 === 0) expect(await follower.length()).toBe(n);
    await writer.append(entry(0, n));
  }
  expect(await follower.last()).toMatchObject({ nth: 19 });
  expect(await follower.read(20)).toBeNull();
});

it('lets a writer who has not read the newest entry append nothing', async () => {
  const store = await tempStore();
  const log = new AppendLog(store, entrySchema, 'log');
  await log.append(entry(0, 0));
  expect(await log.appendAt(0, entry(1, 0))).toBe(false);
  expect(await log.appendAt(1, entry(1, 0))).toBe(true);
  expect(await log.length()).toBe(2);
});
