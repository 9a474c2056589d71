import { describe, expect, it } from 'vitest';
import { CircuitBreaker, closedBreaker } from '../../../src/core/endpoint/circuit-breaker.js';
import { EndpointBoard, freshBoard, SHARE_VALID_MS } from '../../../src/core/endpoint/endpoint-board.js';
import { maxMinShares, wholeShares } from '../../../src/core/endpoint/max-min-shares.js';
import { RateBucket } from '../../../src/core/endpoint/rate-bucket.js';
import { ShareSpender } from '../../../src/core/endpoint/share-spender.js';
import { endpointReport as report } from '../../support/endpoint-report.js';

describe('dividing what there is', () => {
  it('gives the modest what they want and the others equal parts', () => {
    expect(maxMinShares(10, [1, 20, 20])).toEqual([1, 4.5, 4.5]);
    expect(maxMinShares(10, [2, 3])).toEqual([4.5, 5.5]);
    expect(maxMinShares(0, [2, 3])).toEqual([0, 0]);
  });

  it('in whole numbers hands on what is left over by turns', () => {
    expect(wholeShares(5, [9, 9, 9], 0)).toEqual([2, 2, 1]);
    expect(wholeShares(5, [9, 9, 9], 1)).toEqual([1, 2, 2]);
    expect(wholeShares(1, [9, 0, 9], 1)).toEqual([0, 0, 1]);
  });
});

describe('the shares of an endpoint', () => {
  it('never add up to more than it bears: a newcomer waits until another has given back', () => {
    const board = new EndpointBoard(freshBoard(0));
    const first = board.renew(report('one', { waiting: 20 }), 0).concurrency;
    const busy = { inFlight: first, waiting: 20 };
    expect(board.renew(report('two', { waiting: 20 }), 10)).toMatchObject({ concurrency: 0, renewMs: 1_000 });
    expect(board.takeNudges()).toEqual(['one']);
    expect(board.renew(report('one', { ...busy, nth: 2 }), 20).concurrency).toBe(first / 2);
    // Its calls are still in flight, whatever it may begin from now on.
    expect(board.renew(report('two', { waiting: 20, nth: 2 }), 30).concurrency).toBe(0);
    board.renew(report('one', { inFlight: first / 2, waiting: 20, nth: 3 }), 40);
    expect(board.takeNudges()).toContain('two');
    expect(board.renew(report('two', { waiting: 20, nth: 3 }), 50).concurrency).toBe(first / 2);
  });

  it('of a process that asks no more, that left, or that was replaced go to the others', () => {
    const board = new EndpointBoard(freshBoard(0));
    const all = board.renew(report('one', { waiting: 20 }), 0).concurrency;
    expect(board.renew(report('two', { waiting: 20 }), SHARE_VALID_MS).concurrency).toBe(all);
    expect(board.processes).toBe(1);
    board.leave(report('two'));
    expect(board.renew(report('one', { waiting: 20, nth: 2 }), SHARE_VALID_MS + 1).concurrency).toBe(all);
    const restarted = report('one', { process: 'q', waiting: 20 });
    expect(board.renew(restarted, SHARE_VALID_MS + 2).concurrency).toBe(all);
  });

  it('count nothing twice when a report arrives again', () => {
    const board = new EndpointBoard(freshBoard(0));
    const told = report('one', { totals: { answered: 5, refused: 1, failed: 0 } });
    board.renew(told, 0);
    board.renew(told, 1);
    board.renew(report('one', { nth: 2, totals: { answered: 7, refused: 1, failed: 0 } }), 2);
    expect(board.view('http://e/v1', 3)).toMatchObject({ refusedShare: 1 / 8 });
  });

  it('follow what the endpoint says of tokens and requests a minute', () => {
    const board = new EndpointBoard(freshBoard(0));
    const told = {
      requestsPerMinute: 60,
      tokensPerMinute: 9_000,
      remainingRequests: 59,
      remainingTokens: 8_000,
    };
    board.renew(report('one', { told }), 0);
    const share = board.renew(report('two'), 1);
    expect(share).toMatchObject({ requestsPerMinute: 30, tokensPerMinute: 4_500 });
  });
});

describe('an endpoint that nobody gets an answer from', () => {
  it('is down after a few failures in a row over some seconds, and tried by one call at a time', () => {
    const board = new EndpointBoard(freshBoard(0));
    const failing = (nth: number, failed: number) =>
      report('one', { nth, waiting: 8, totals: { answered: 0, refused: 0, failed } });
    expect(board.renew(failing(1, 8), 0).downForMs).toBeNull();
    expect(board.renew(failing(2, 16), 3_000)).toMatchObject({ downForMs: 0, concurrency: 1 });
    const share = board.renew(failing(3, 16), 3_500);
    expect(share.waitMs).toBeGreaterThan(1_000);
    const answered = report('one', { nth: 4, waiting: 8, totals: { answered: 1, refused: 0, failed: 16 } });
    expect(board.renew(answered, 9_000)).toMatchObject({ downForMs: null, waitMs: 0 });
  });

  it('is up while some calls are answered', () => {
    const breaker = new CircuitBreaker(closedBreaker());
    for (let now = 0; now < 60_000; now += 1_000) {
      breaker.failed(1, now);
      if (now % 4_000 === 0) breaker.answered();
    }
    expect(breaker.downSince).toBeNull();
  });

  it('is tried further and further apart, up to 20 s', () => {
    const breaker = new CircuitBreaker(closedBreaker());
    const gaps: number[] = [];
    for (let now = 0, n = 0; n < 60; n++) {
      breaker.failed(1, now);
      const gap = Math.max(1_000, breaker.state.nextProbeAt - now);
      gaps.push(gap);
      now += gap;
    }
    expect(gaps[6]).toBe(2_000);
    expect(gaps.at(-1)).toBe(20_000);
  });
});

describe('spending a share', () => {
  it('spreads calls evenly over the minute', () => {
    const bucket = new RateBucket(1);
    bucket.setRate(60, 1, 0);
    expect(bucket.waitMs(1, 0)).toBe(0);
    bucket.take(1);
    expect(bucket.waitMs(1, 0)).toBe(1_000);
    expect(bucket.waitMs(1, 1_000)).toBe(0);
  });

  it('lets a call through that is larger than what is ever saved up, and waits longer after it', () => {
    const bucket = new RateBucket(100);
    bucket.setRate(600, 100, 0);
    expect(bucket.waitMs(500, 0)).toBe(0);
    bucket.take(500);
    expect(bucket.waitMs(1, 0)).toBe(40_100);
  });

  it('waits as the endpoint asks before the keeper has heard of it', () => {
    const spender = new ShareSpender({ hostId: 'one', process: 'p' });
    const size = { prompt: 1, completion: 1 };
    const pass = spender.enter(size, 0);
    if ('by' in pass) throw new Error('held back');
    expect(spender.leave(pass, { kind: 'refused', retryAfterMs: 5_000, told: null }, 0, 100)).toBe(true);
    expect(spender.enter(size, 200)).toEqual({ by: 'cooldown', waitMs: 4_900 });
    expect(spender.report(1, 300).refusal).toMatchObject({ retryInMs: 4_800, sentAgoMs: 300 });
  });

  it('goes on with two calls at once when nobody hands out shares', () => {
    const spender = new ShareSpender({ hostId: 'one', process: 'p' });
    const size = { prompt: 1, completion: 1 };
    const passes = [1, 2, 3].map(() => spender.enter(size, 0));
    expect(passes.map((pass) => 'by' in pass)).toEqual([false, false, true]);
  });
});
