import { describe, expect, it } from 'vitest';
import type { EndpointShare } from '../../src/core/endpoint/messages.js';
import { EndpointGate } from '../../src/model/limits/endpoint-gate.js';
import type { GatePass, StayAway } from '../../src/model/limits/model-gate.js';

const SIZE = { promptTokens: 10, completionTokens: 10 };
const ANSWERED = { kind: 'answered', tokens: 20, told: null } as const;
const share = (over: Partial<EndpointShare> = {}): EndpointShare => ({
  concurrency: 1,
  requestsPerMinute: null,
  tokensPerMinute: null,
  waitMs: 0,
  downForMs: null,
  renewAfter: null,
  renewMs: 10_000,
  validMs: 30_000,
  ...over,
});

function gateWith(over: Partial<EndpointShare> = {}) {
  const news: number[] = [];
  const gate = new EndpointGate({
    who: { hostId: 'one', process: 'p' },
    now: Date.now,
    random: () => 0,
    ready: async () => undefined,
    onNews: () => news.push(1),
  });
  gate.take(share(over), Date.now());
  const signal = new AbortController();
  const enter = (who: string) => gate.enter(who, SIZE, signal.signal);
  return { gate, news, enter, stop: () => signal.abort() };
}

function passOf(answer: GatePass | StayAway): GatePass {
  if ('end' in answer) return answer;
  throw new Error(`sent away for ${answer.retryInMs} ms`);
}

describe('the gate of an endpoint', () => {
  it('lets the next call through when one has ended, in the order in which they came', async () => {
    const { enter, gate } = gateWith();
    const first = passOf(await enter('a'));
    const order: string[] = [];
    const rest = ['b', 'c'].map((who) =>
      enter(who).then((answer) => {
        order.push(who);
        return passOf(answer);
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(order).toEqual([]);
    expect(gate.report()).toMatchObject({ inFlight: 1, waiting: 2 });
    first.end(ANSWERED);
    first.end(ANSWERED);
    passOf(await (rest[0] as Promise<GatePass>)).end('unsent');
    await rest[1];
    expect(order).toEqual(['b', 'c']);
    expect(gate.report().totals).toEqual({ answered: 1, refused: 0, failed: 0 });
  });

  it('sends everybody away at once when the endpoint asks for a long wait, and tells its keeper', async () => {
    const { enter, news } = gateWith();
    const pass = passOf(await enter('a'));
    const waiting = enter('b');
    pass.end({ kind: 'refused', retryAfterMs: 30_000, told: null });
    const answer = await waiting;
    expect('retryInMs' in answer && answer.retryInMs).toBeGreaterThan(29_000);
    expect(news.length).toBe(1);
  });

  it('waits out a short one', async () => {
    const { enter } = gateWith();
    const pass = passOf(await enter('a'));
    const begun = Date.now();
    pass.end({ kind: 'refused', retryAfterMs: 150, told: null });
    passOf(await enter('a'));
    expect(Date.now() - begun).toBeGreaterThanOrEqual(149);
  });

  it('keeps the place of those that were sent away', async () => {
    const { enter, gate } = gateWith({ waitMs: 5_000 });
    expect(await enter('a')).toHaveProperty('retryInMs');
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await enter('b')).toHaveProperty('retryInMs');
    gate.take(share({ concurrency: 0 }), Date.now());
    const order: string[] = [];
    const later = ['b', 'a'].map((who) =>
      enter(who).then((answer) => {
        order.push(who);
        passOf(answer).end(ANSWERED);
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, 5));
    gate.take(share(), Date.now());
    await Promise.all(later);
    expect(order).toEqual(['a', 'b']);
  });

  it('lets go of a call whose executor has to stop', async () => {
    const { enter, gate, stop } = gateWith({ concurrency: 0 });
    const waiting = enter('a');
    await new Promise((resolve) => setTimeout(resolve, 5));
    stop();
    expect(await waiting).toEqual({ retryInMs: 0 });
    expect(gate.idle).toBe(true);
  });

  it('holds placements back while the endpoint is down, and no longer', async () => {
    const { gate } = gateWith({ downForMs: 60_000 });
    expect(await gate.holdsPlacements()).toEqual({ retryInMs: expect.any(Number) });
    gate.take(share(), Date.now());
    expect(await gate.holdsPlacements()).toBeNull();
  });
});
