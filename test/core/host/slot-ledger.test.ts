import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SlotLedger } from '../../../src/core/host/slot-ledger.js';

const never = new AbortController().signal;
/** Lets everything that is ready run. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a host with room for some sandboxes', () => {
  it('counts a permit and the sandbox it became as one place', () => {
    const ledger = new SlotLedger(2);
    expect(ledger.tryReserve()).toBe(true);
    expect(ledger.free).toBe(1);
    ledger.convert('a');
    expect([ledger.free, ledger.liveCount]).toEqual([1, 1]);
    ledger.release();
    expect([ledger.free, ledger.liveCount]).toEqual([1, 1]);
    ledger.drop('a');
    expect([ledger.free, ledger.liveCount]).toEqual([2, 0]);
  });

  it('gives a permit back that became nothing', () => {
    const ledger = new SlotLedger(1);
    ledger.tryReserve();
    expect(ledger.tryReserve()).toBe(false);
    ledger.release();
    expect(ledger.tryReserve()).toBe(true);
  });

  it('counts adopted sandboxes, even beyond its capacity, and then takes no more', () => {
    const ledger = new SlotLedger(1);
    ledger.adopt('a');
    ledger.adopt('b');
    ledger.adopt('b');
    expect([ledger.free, ledger.tryReserve()]).toEqual([-1, false]);
    ledger.drop('a');
    ledger.drop('a');
    ledger.drop('unknown');
    expect([ledger.free, ledger.tryReserve()]).toEqual([0, false]);
  });

  it('keeps the place of a sandbox that another one replaces', () => {
    const ledger = new SlotLedger(1);
    ledger.adopt('agent');
    ledger.rename('agent', 'verifier');
    ledger.drop('agent');
    expect(ledger.free).toBe(0);
    ledger.drop('verifier');
    expect(ledger.free).toBe(1);
  });
});

describe('waiting for a place', () => {
  it('ends when one is free, first come first served', async () => {
    const ledger = new SlotLedger(1);
    ledger.adopt('a');
    const served: number[] = [];
    const waiting = [1, 2].map((n) => ledger.reserve(never).then(() => served.push(n)));
    await settle();
    expect(served).toEqual([]);
    ledger.drop('a');
    await settle();
    expect(served).toEqual([1]);
    ledger.release();
    await Promise.all(waiting);
    expect(served).toEqual([1, 2]);
  });

  it('ends with an abort, which leaves no permit behind', async () => {
    const ledger = new SlotLedger(1);
    ledger.adopt('a');
    const abort = new AbortController();
    const waiting = ledger.reserve(abort.signal);
    abort.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    ledger.drop('a');
    expect(ledger.free).toBe(1);
  });

  it('does not begin when the wait is over before it began', async () => {
    const ledger = new SlotLedger(1);
    await expect(ledger.reserve(AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
    expect(ledger.free).toBe(1);
  });

  it('hands a place on when the one it was meant for gave up meanwhile', async () => {
    const ledger = new SlotLedger(1);
    ledger.adopt('a');
    const abort = new AbortController();
    const gaveUp = ledger.reserve(abort.signal);
    const next = ledger.reserve(never);
    ledger.drop('a');
    abort.abort();
    await expect(gaveUp).rejects.toMatchObject({ name: 'AbortError' });
    await next;
    expect(ledger.free).toBe(0);
  });
});

describe('whatever happens', () => {
  it('never holds more than its capacity, and all of it is free in the end', () => {
    const step = fc.constantFrom('reserve', 'convert', 'release', 'drop');
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(step, { maxLength: 80 }), (capacity, steps) => {
        const ledger = new SlotLedger(capacity);
        let [polls, unconverted, made] = [0, 0, 0];
        const live: string[] = [];
        for (const kind of steps) {
          if (kind === 'reserve' && ledger.tryReserve()) [polls, unconverted] = [polls + 1, unconverted + 1];
          if (kind === 'convert' && unconverted > 0) {
            unconverted -= 1;
            live.push(`s${made++}`);
            ledger.convert(live.at(-1) as string);
          }
          if (kind === 'release' && polls > unconverted) {
            polls -= 1;
            ledger.release();
          }
          if (kind === 'drop' && live.length > 0) ledger.drop(live.shift() as string);
          expect(ledger.free).toBe(capacity - unconverted - live.length);
          expect(ledger.free).toBeGreaterThanOrEqual(0);
        }
        for (const id of live) ledger.drop(id);
        for (; polls > 0; polls--) ledger.release();
        expect(ledger.free).toBe(capacity);
      }),
    );
  });

  it('takes nothing in while it is closed, and wakes who waited when it opens', async () => {
    const ledger = new SlotLedger(2);
    ledger.close(true);
    expect(ledger.tryReserve()).toBe(false);
    const waiting = ledger.reserve(new AbortController().signal);
    ledger.adopt('found-running');
    ledger.close(false);
    await waiting;
    expect(ledger.free).toBe(0);
  });
});
