import { expect, it } from 'vitest';
import { type Answer, breaksOff, refuses, type SeenCall, stalls } from '../support/model-server.js';
import { ChaosRun } from './support/chaos-run.js';
import { expectInvariants } from './support/invariants.js';
import { noteTimes } from './support/recovery.js';

const HOSTS = ['one', 'two'];

it('an endpoint that answers 429 with Retry-After is left alone by every process until then', async () => {
  const retryAfterSec = 12;
  const newsMs = 6_000;
  const refusedAt: number[] = [];
  let calls = 0;
  const chaos = await ChaosRun.start({
    runId: 'retry-after',
    sandbox: 'memory',
    capacity: 6,
    config: { concurrency: 12 },
    script: ({ at }, usual) => {
      calls += 1;
      if (calls !== 20 && calls !== 60) return usual;
      refusedAt.push(at);
      return refuses(429, 'slow down', { headers: { 'retry-after': String(retryAfterSec) } });
    },
  });
  await Promise.all(HOSTS.map((hostId) => chaos.startWorker({ hostId })));
  await chaos.begin();
  await expectInvariants(chaos, { takeovers: 0, failedCalls: 2 });
  expect(refusedAt).toHaveLength(2);
  const again = refusedAt.map((at) => at + retryAfterSec * 1_000);
  const firstAfter = (at: number) => chaos.endpoint.seen.find((call) => call.at >= at)?.at ?? Number.NaN;
  noteTimes(
    'model endpoint: 429 with Retry-After (from its end to the next request)',
    again.map((at) => firstAfter(at) - at),
  );
  for (const at of refusedAt) {
    // Calls on their way, and those of the process that has yet to hear of it, may come right after the refusal.
    const early = chaos.endpoint.seen.filter(
      (call) => call.at > at + newsMs && call.at < at + retryAfterSec * 1_000,
    );
    expect(early.map((call) => call.at - at)).toEqual([]);
  }
});

it('500s, stalls and streams that are cut cost a failed try each, and no rollout', async () => {
  const faults: Answer[] = [refuses(500, 'oops'), stalls, breaksOff, refuses(529, 'overloaded')];
  const chaos = await ChaosRun.start({
    runId: 'faults',
    sandbox: 'memory',
    config: { modelTimeoutMs: 3_000 },
    // Each rollout meets two of the faults, in different turns.
    script: (call, usual) => {
      const fault = faults[((call.seed ?? 0) + call.turn) % faults.length];
      return call.try === 1 && call.turn < 2 && fault ? fault : usual;
    },
  });
  await chaos.startWorker();
  await chaos.begin();
  await expectInvariants(chaos, { takeovers: 0, failedCalls: 2 });
  const failed = chaos.endpoint.seen.filter((call) => call.try === 2);
  expect(failed).toHaveLength(2 * 24);
  const same = ({ seed, messages }: SeenCall) => JSON.stringify([seed, messages]);
  const firstTry = (call: SeenCall) =>
    chaos.endpoint.seen.find((first) => first.try === 1 && same(first) === same(call));
  noteTimes(
    'model endpoint: 500, stall, cut stream (from the failed request to the next)',
    failed.map((call) => call.at - (firstTry(call)?.at ?? Number.NaN)),
  );
});
