import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Ledger } from '../../../src/trajectories/files/ledger.js';
import { mapOrdered } from '../../../src/trajectories/map-ordered.js';
import { folder } from '../support/folder.js';

it('a ledger has after a restart what was put into it, the newest value of each key', async () => {
  const path = join(folder(), 'made', 'ledger.jsonl');
  const first = await Ledger.open<{ n: number }>(path);
  await first.put('a', { n: 1 });
  await first.putAll([
    { key: 'b', value: { n: 2 } },
    { key: 'a', value: { n: 3 } },
  ]);
  await first.close();
  const second = await Ledger.open<{ n: number }>(path);
  expect([second.get('a'), second.get('b'), second.get('c'), second.size]).toEqual([
    { n: 3 },
    { n: 2 },
    undefined,
    2,
  ]);
  await second.close();
});

it('a ledger forgets a line that was torn, or is none of its own, and goes on after it', async () => {
  const path = join(folder(), 'ledger.jsonl');
  writeFileSync(path, '{"key":"a","value":1}\nnonsense\n{"key":"b","val');
  const torn = await Ledger.open<number>(path);
  await torn.put('c', 3);
  await torn.close();
  const again = await Ledger.open<number>(path);
  expect([again.get('a'), again.get('b'), again.get('c')]).toEqual([1, undefined, 3]);
  await again.close();
});

it('a ledger that is done with is gone', async () => {
  const path = join(folder(), 'ledger.jsonl');
  appendFileSync(path, '');
  const ledger = await Ledger.open<number>(path);
  await ledger.remove();
  expect(() => readFileSync(path)).toThrow('ENOENT');
});

it('a stream is mapped in its order, with no more at once than allowed', async () => {
  let now = 0;
  let most = 0;
  async function* numbers() {
    for (let i = 0; i < 9; i += 1) yield i;
  }
  const work = async (i: number): Promise<number> => {
    now += 1;
    most = Math.max(most, now);
    await new Promise((resolve) => setTimeout(resolve, (9 - i) % 4));
    now -= 1;
    return i * 2;
  };
  const out: number[] = [];
  for await (const n of mapOrdered(numbers(), work, 3)) out.push(n);
  expect(out).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16]);
  expect(most).toBe(3);
});
