import { expect, it } from 'vitest';
import { FeedPosition } from '../../../src/sinks/host/feed-position.js';

/** Numbers of groups in the order of a feed: nearly in sequence, some twice. Seeded. */
function feed(groups: number, seed: number): number[] {
  let state = seed;
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
  const order = Array.from({ length: groups }, (_, n) => ({ n, at: n + random() * 8 }))
    .sort((a, b) => a.at - b.at)
    .flatMap(({ n }) => (random() < 0.1 ? [n, n] : [n]));
  return order;
}

it('goes on from a cursor at any point without counting a group twice or missing one', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const entries = feed(60, seed);
    let position = new FeedPosition();
    const handed: number[] = [];
    for (let step = 0; position.next < entries.length; step++) {
      const number = entries[position.next] as number;
      if (position.read(number)) handed.push(number);
      // Done with in another order than handed out.
      const done = handed.splice(step % 3 === 0 ? 0 : Math.max(0, handed.length - 1), step % 2);
      for (const one of done) expect(position.settle(one, 'delivered', 1), `seed ${seed}`).toBe(true);
      if (step % 11 === 10) {
        position = new FeedPosition(structuredClone(position.cursor()));
        handed.length = 0;
      }
    }
    for (const one of handed) position.settle(one, 'skipped', 0);
    const { delivered, skipped, masked } = position.tallies;
    expect(delivered + skipped, `seed ${seed}`).toBe(60);
    expect(masked).toBe(delivered);
    expect(position.groups).toBe(60);
    expect(position.cursor()).toMatchObject({ position: entries.length, below: 60, above: [] });
  }
});

it('keeps in mind no more than what lies between the oldest open group and the newest', () => {
  const position = new FeedPosition();
  for (let n = 0; n < 10_000; n++) {
    position.read(n);
    if (n > 0) position.settle(n - 1, 'delivered', 0);
  }
  expect(position.cursor()).toMatchObject({ position: 9_999, below: 9_999, above: [] });
});

it('is done with a group once', () => {
  const position = new FeedPosition();
  position.read(0);
  expect(position.settle(0, 'delivered', 2)).toBe(true);
  expect(position.settle(0, 'parked', 0)).toBe(false);
  expect(position.tallies).toEqual({ delivered: 1, parked: 0, skipped: 0, masked: 2 });
});
