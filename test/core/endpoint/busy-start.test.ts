import { describe, expect, it } from 'vitest';
import { EndpointBoard, freshBoard } from '../../../src/core/endpoint/endpoint-board.js';
import { endpointReport as report } from '../../support/endpoint-report.js';
import { type BusyStart, type Limits, type Seen, simulate, slidingWindow, type World } from './simulation.js';

type Start = Omit<BusyStart, 'seed'>;

const MINUTE_MS = 60_000;
const STARTS: Start[] = [
  { forMs: 3_000, keeperMs: 50 },
  { forMs: 3_000, keeperMs: 2_000 },
  { forMs: 6_000, keeperMs: 4_000 },
  { forMs: 8_000, keeperMs: 5_000 },
];
const MEASURED_MIN = 4;

/** The worst of 30 starts of three processes: answered a minute, and the refused part, once `warmUpMin` are over. */
function worst(
  world: Pick<World, 'rollouts' | 'latencyMs'>,
  limits: () => Limits,
  start: Start,
  warmUpMin: number,
) {
  const forMs = (warmUpMin + MEASURED_MIN) * MINUTE_MS;
  const starts = Array.from({ length: 30 }, (_, seed) => {
    const { seen } = simulate({ ...world, hosts: 3, limits: limits(), forMs, busy: { ...start, seed } });
    return seen.filter(({ at }) => at >= warmUpMin * MINUTE_MS);
  });
  const answered = (seen: readonly Seen[]) => seen.filter(({ refused }) => !refused).length;
  return {
    perMinute: Math.min(...starts.map(answered)) / MEASURED_MIN,
    refused: Math.max(...starts.map((seen) => 1 - answered(seen) / seen.length)),
  };
}

describe('processes that come one by one, and hear from their keeper late at first', () => {
  it.each(STARTS)(
    'use 5 at once and 60 a minute to the full: for $forMs ms, $keeperMs ms a request',
    (start) => {
      const { perMinute, refused } = worst(
        { rollouts: 8, latencyMs: 2_000 },
        () => slidingWindow(5, 60),
        start,
        2,
      );
      expect(perMinute).toBeGreaterThan(0.85 * 60);
      expect(refused).toBeLessThan(0.05);
    },
  );

  it.each(STARTS)('use 12 slow calls at once: for $forMs ms, $keeperMs ms a request', (start) => {
    const limits = () => slidingWindow(12, Number.POSITIVE_INFINITY);
    const { perMinute, refused } = worst({ rollouts: 24, latencyMs: 30_000 }, limits, start, 6);
    expect(perMinute).toBeGreaterThan(0.75 * 24);
    expect(refused).toBeLessThan(0.05);
  });
});

describe('a refusal', () => {
  const refused = (inFlight: number, sentAgoMs: number) => ({
    refusal: { sentAgoMs, retryInMs: null, inFlight, overloaded: false, told: null },
  });
  const windowOf = (board: EndpointBoard) => ({
    limit: board.state.window.limit,
    ceiling: board.state.window.ceiling,
  });

  it('is about the calls of other processes as well that they tell of right after it', () => {
    const board = new EndpointBoard(freshBoard(0));
    for (const hostId of ['one', 'two']) board.renew(report(hostId), 0);
    board.renew(report('one', { nth: 2, waiting: 8, ...refused(1, 20) }), 1_000);
    expect(windowOf(board)).toEqual({ limit: 1, ceiling: 2 });
    board.renew(report('two', { nth: 2, inFlight: 5, waiting: 3 }), 1_100);
    expect(windowOf(board)).toEqual({ limit: 3, ceiling: 6 });
  });

  it('is about calls that were in flight when it was sent, also if they have ended since', () => {
    const board = new EndpointBoard(freshBoard(0));
    board.renew(report('one'), 0);
    board.renew(report('two', { inFlight: 3 }), 0);
    board.renew(report('two', { nth: 2 }), 900);
    board.renew(report('one', { nth: 2, waiting: 8, ...refused(1, 200) }), 1_000);
    expect(windowOf(board).ceiling).toBe(4);
  });

  it('of a call begun before the limit was cut says nothing of what is allowed now', () => {
    const board = new EndpointBoard(freshBoard(0));
    for (const hostId of ['one', 'two']) board.renew(report(hostId), 0);
    board.renew(report('one', { nth: 2, waiting: 8, ...refused(4, 20) }), 1_000);
    const after = windowOf(board);
    board.renew(report('two', { nth: 2, waiting: 8, ...refused(8, 20) }), 3_000);
    expect(windowOf(board)).toEqual(after);
    expect(board.state.pace.found).toBeNull();
  });
});
