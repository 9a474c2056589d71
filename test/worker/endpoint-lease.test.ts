import { describe, expect, it } from 'vitest';
import type { EndpointReport, EndpointShare } from '../../src/core/endpoint/messages.js';
import type { GatePass } from '../../src/model/limits/model-gate.js';
import { EndpointLease } from '../../src/worker/lease/endpoint-lease.js';
import { until } from '../support/until.js';

const SIZE = { promptTokens: 10, completionTokens: 10 };
const SHARE: EndpointShare = {
  concurrency: 8,
  requestsPerMinute: null,
  tokensPerMinute: null,
  waitMs: 0,
  downForMs: null,
  renewAfter: null,
  renewMs: 10_000,
  validMs: 30_000,
};

/** A lease with a keeper that is the test's: the cluster's part is tested in test/workflows. */
function leaseWith(renew: (report: EndpointReport) => Promise<EndpointShare>) {
  const reports: EndpointReport[] = [];
  const left: string[] = [];
  const lease = new EndpointLease({
    who: { hostId: 'one', process: 'p' },
    keeper: {
      renew: (report) => {
        reports.push(report);
        return renew(report);
      },
      leave: async ({ hostId }) => {
        left.push(hostId);
      },
    },
    now: Date.now,
    onTrouble: () => undefined,
  });
  const enter = (who: string) =>
    lease.gate.enter(who, SIZE, new AbortController().signal) as Promise<GatePass>;
  return { lease, reports, left, enter };
}

describe('a process’s lease of an endpoint', () => {
  it('is asked for at the first call, told of a refusal at once, and given back at the end', async () => {
    const { lease, reports, left, enter } = leaseWith(async () => SHARE);
    expect(reports).toEqual([]);
    const pass = await enter('a');
    expect(reports).toHaveLength(1);
    pass.end({ kind: 'refused', retryAfterMs: 60_000, told: null });
    await until(() => reports.length === 2, { limitMs: 5_000 });
    expect(reports[1]).toMatchObject({ nth: 2, refusal: { retryInMs: expect.any(Number) } });
    await lease.close();
    expect(left).toEqual(['one']);
  });

  it('is not given back where it was never asked for', async () => {
    const { lease, left } = leaseWith(async () => SHARE);
    await lease.close();
    expect(left).toEqual([]);
  });

  it('lets calls go on with the last share while the keeper does not answer, and asks again', async () => {
    let away = false;
    const { lease, reports, enter } = leaseWith(async () => {
      if (away) throw new Error('no cluster');
      return SHARE;
    });
    const first = await enter('a');
    away = true;
    first.end({ kind: 'failed' });
    await until(() => reports.length >= 3, { limitMs: 10_000 });
    const passes = await Promise.all(['b', 'c', 'd'].map(enter));
    expect(passes.every((pass) => 'end' in pass)).toBe(true);
    away = false;
    const asked = reports.length;
    await until(() => reports.length > asked, { limitMs: 10_000 });
    await lease.close();
  });

  it('begins with few calls when nobody ever answers', async () => {
    const { lease, enter } = leaseWith(() => new Promise(() => undefined));
    const passes = [await enter('a'), await enter('b')];
    expect(passes.every((pass) => 'end' in pass)).toBe(true);
    await lease.close();
  });
});
