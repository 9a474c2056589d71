import { describe, expect, it } from 'vitest';
import {
  fixedWindow,
  type Limits,
  type Seen,
  simulate,
  slidingWindow,
  tokenBucket,
  unlimited,
} from './simulation.js';

const MINUTE_MS = 60_000;
const told = (limits: Limits, perMinute: number): Limits => {
  const says = {
    requestsPerMinute: perMinute,
    tokensPerMinute: null,
    remainingRequests: null,
    remainingTokens: null,
  };
  return (now, inFlight) => ({ ...limits(now, inFlight), told: says });
};

/** Answered of what is possible, and the refused part, from the third minute on. */
function settled(seen: readonly Seen[], perMinute: number, minutes: number) {
  const later = seen.filter(({ at }) => at >= 2 * MINUTE_MS && at < minutes * MINUTE_MS);
  const answered = later.filter(({ refused }) => !refused).length;
  return {
    used: answered / (perMinute * (minutes - 2)),
    refused: (later.length - answered) / later.length,
  };
}

const ENDPOINTS: [name: string, limits: () => Limits][] = [
  ['counts any minute', () => slidingWindow(5, 60)],
  ['counts any minute and says when to come back', () => slidingWindow(5, 60, true)],
  ['says in its headers what it allows', () => told(slidingWindow(5, 60), 60)],
  ['fills a bucket of 60', () => tokenBucket(5, 60, 60)],
  ['fills a bucket of 10 and says so', () => tokenBucket(5, 60, 10, true)],
  ['counts minutes of the clock', () => fixedWindow(5, 60)],
];

describe('an endpoint that allows 5 at once and 60 a minute', () => {
  for (const hosts of [1, 3])
    it.each(ENDPOINTS)(`and %s is used to the full: ${hosts} processes`, (_, limits) => {
      const { seen } = simulate({
        hosts,
        rollouts: 8,
        latencyMs: 2_000,
        limits: limits(),
        forMs: 8 * MINUTE_MS,
      });
      const { used, refused } = settled(seen, 60, 8);
      expect(used).toBeGreaterThan(0.85);
      expect(refused).toBeLessThan(0.05);
    });
});

describe('an endpoint that only limits calls at once', () => {
  it.each([
    [5, 1],
    [5, 3],
    [17, 1],
    [17, 3],
  ])('to %i is used to the full: %i processes', (atOnce, hosts) => {
    const { seen, board } = simulate({
      hosts,
      rollouts: 24,
      latencyMs: 1_000,
      limits: slidingWindow(atOnce, Number.POSITIVE_INFINITY),
      forMs: 5 * MINUTE_MS,
    });
    const { used, refused } = settled(seen, (atOnce * MINUTE_MS) / 1_000, 5);
    expect(used).toBeGreaterThan(0.85);
    expect(refused).toBeLessThan(0.05);
    expect(board.state.pace.found).toBeNull();
  });
});

it('an endpoint without limits is hardly slowed down', () => {
  const rollouts = 64;
  const { seen, renewals } = simulate({
    hosts: 1,
    rollouts,
    latencyMs: 1_000,
    limits: unlimited,
    forMs: MINUTE_MS,
  });
  const possible = (rollouts * MINUTE_MS) / (1_000 + 70);
  expect(seen.length / possible).toBeGreaterThan(0.9);
  expect(renewals).toBeLessThan(60);
});

it('while an endpoint asks to wait, no process makes a call', () => {
  let until = 0;
  let n = 0;
  const begun = { at: 0 };
  const asksTwice: Limits = (now) => {
    begun.at ||= now;
    n += 1;
    if (n !== 40 && n !== 400) return { refuses: false };
    until = now + 20_000;
    return { refuses: true, retryAfterMs: 20_000 };
  };
  const early: number[] = [];
  const watched: Limits = (now, inFlight) => {
    if (now < until) early.push(until - now);
    return asksTwice(now, inFlight);
  };
  simulate({ hosts: 3, rollouts: 8, latencyMs: 1_000, limits: watched, forMs: 3 * MINUTE_MS });
  // Calls that were on their way, and those of processes that had not heard of it yet.
  expect(early.every((leftMs) => leftMs > 19_500)).toBe(true);
  expect(n).toBeGreaterThan(400);
});

it('an endpoint that is down is tried by one call at a time, of whichever process, and used again at once when it is back', () => {
  const begun = { at: 0 };
  const DOWN_MS = [30_000, 150_000] as const;
  const outage: Limits = (now) => {
    begun.at ||= now;
    const at = now - begun.at;
    return { refuses: false, fails: at >= DOWN_MS[0] && at < DOWN_MS[1] };
  };
  const { seen } = simulate({ hosts: 3, rollouts: 8, latencyMs: 1_000, limits: outage, forMs: 240_000 });
  const between = (from: number, to: number) => seen.filter(({ at }) => at >= from && at < to).length;
  expect(between(DOWN_MS[0] + 5_000, DOWN_MS[1])).toBeLessThan(30);
  expect(between(DOWN_MS[0] + 5_000, DOWN_MS[1])).toBeGreaterThan(5);
  expect(between(DOWN_MS[1] + 25_000, DOWN_MS[1] + 55_000)).toBeGreaterThan(500);
});

it.each([2, 3, 4])('a passing shortage, one call in %i refused, is forgotten within minutes', (every) => {
  const begun = { at: 0 };
  let n = 0;
  const shortage: Limits = (now) => {
    begun.at ||= now;
    n += 1;
    const at = now - begun.at;
    return { refuses: at >= 5_000 && at < 25_000 && n % every === 0 };
  };
  const [hosts, rollouts, latencyMs] = [2, 2, 300];
  const { seen } = simulate({ hosts, rollouts, latencyMs, limits: shortage, forMs: 8 * MINUTE_MS });
  const late = seen.filter(({ at }) => at >= 7 * MINUTE_MS).length;
  const possible = (hosts * rollouts * MINUTE_MS) / (latencyMs + 60);
  expect(late / possible).toBeGreaterThan(0.9);
});
