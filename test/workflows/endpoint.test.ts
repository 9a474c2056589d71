import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EndpointReport, endpointWorkflowId } from '../../src/core/endpoint/messages.js';
import { readEndpointView, TemporalEndpointKeeper } from '../../src/temporal/endpoint-keeper.js';
import { endpointReport } from '../support/endpoint-report.js';
import { LongrunHost } from '../support/longrun-host.js';
import { until } from '../support/until.js';

let host: LongrunHost;
beforeAll(async () => {
  host = await LongrunHost.start();
  await host.startWorker();
});
afterAll(() => host.stop());

const report = (hostId: string, nth: number, over: Partial<EndpointReport> = {}): EndpointReport =>
  endpointReport(hostId, { nth, waiting: 20, ...over });

describe('the keeper of an endpoint', () => {
  it('is started by whoever asks first, and divides among all that ask', async () => {
    const name = { hash: 'shared', baseUrl: 'http://127.0.0.1:1/v1' };
    const keeper = new TemporalEndpointKeeper(host.client, name);
    const [one, two] = await Promise.all([keeper.renew(report('one', 1)), keeper.renew(report('two', 1))]);
    const all = one.concurrency + two.concurrency;
    expect(all).toBe(16);
    const shares = [];
    for (const nth of [2, 3])
      for (const hostId of ['one', 'two']) shares.push((await keeper.renew(report(hostId, nth))).concurrency);
    expect(shares.slice(-2)).toEqual([8, 8]);
    expect(await readEndpointView(host.client, name)).toMatchObject({
      baseUrl: name.baseUrl,
      processes: 2,
      concurrency: 16,
      waiting: 40,
    });

    await keeper.leave(report('two', 4));
    await until(async () => (await keeper.renew(report('one', 9))).concurrency === 16);
  });

  it('carries on for as long as it is asked, and forgets nothing', async () => {
    const name = { hash: 'long', baseUrl: 'http://127.0.0.1:1/v1' };
    const keeper = new TemporalEndpointKeeper(host.client, name);
    const told = { requestsPerMinute: 120, tokensPerMinute: 8_000, remainingRequests: 1, remainingTokens: 1 };
    await keeper.renew(report('one', 1, { told }));
    const handle = host.client.workflow.getHandle(endpointWorkflowId(name));
    const { runId } = await handle.describe();
    let nth = 1;
    for (; nth < 1_050; nth += 10)
      await Promise.all(Array.from({ length: 10 }, (_, i) => keeper.renew(report('one', nth + i))));
    expect((await handle.describe()).runId).not.toBe(runId);
    expect(await keeper.renew(report('one', nth))).toMatchObject({
      requestsPerMinute: 120,
      tokensPerMinute: 8_000,
    });
  });

  it('is not there for an endpoint that nobody has called', async () => {
    expect(await readEndpointView(host.client, { hash: 'never', baseUrl: '' })).toBeNull();
  });
});
