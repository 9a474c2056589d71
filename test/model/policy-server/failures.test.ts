import { describe, expect, it } from 'vitest';
import { parseFailureRule } from '../../../src/model/policy-server/index.js';
import { policyServer } from '../../support/policy-server.js';

const BODY = {
  model: 'demo',
  messages: [{ role: 'user', content: 'x' }],
  ...{ logprobs: true, return_token_ids: true, seed: 3 },
};

async function ask(
  baseUrl: string,
  body: Record<string, unknown> = BODY,
  headers: Record<string, string> = {},
) {
  return fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(500),
  });
}

describe('the policy server fails when it is told to', () => {
  it('by a share of all calls, and counts them', async () => {
    const { baseUrl } = await policyServer({ failures: [parseFailureRule('error:0.3')] });
    const statuses: number[] = [];
    for (let seed = 0; seed < 60; seed++) statuses.push((await ask(baseUrl, { ...BODY, seed })).status);
    const failed = statuses.filter((status) => status === 500).length;
    expect(failed).toBeGreaterThan(6);
    expect(failed).toBeLessThan(36);
    const stats = await (await fetch(baseUrl.replace('/v1', '/stats'))).json();
    expect(stats).toMatchObject({ requests: 60, answered: 60 - failed, failures: { error: failed } });
  });

  it('at the first try of a seed only', async () => {
    const { baseUrl } = await policyServer({
      failures: [parseFailureRule('rate-limit@3')],
      retryAfterSec: 2,
    });
    expect((await ask(baseUrl, { ...BODY, seed: 4 })).status).toBe(200);
    const refused = await ask(baseUrl);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2']);
    expect((await ask(baseUrl)).status).toBe(200);
  });

  it('as the caller asks in a header: no JSON, a cut answer, none at all', async () => {
    const { baseUrl } = await policyServer();
    const fail = (kind: string) => ask(baseUrl, BODY, { 'x-longrun-fail': kind });
    await expect((await fail('malformed')).json()).rejects.toThrow();
    await expect(fail('cut').then((response) => response.text())).rejects.toThrow();
    await expect(fail('stall')).rejects.toThrow(/timeout|aborted/i);
    expect((await fail('nonsense')).status).toBe(400);
  });

  it('by telling ids that are too few or none', async () => {
    const server = await policyServer();
    const choice = async (kind: string) => {
      const response = await ask(server.baseUrl, BODY, { 'x-longrun-fail': kind });
      // biome-ignore lint/suspicious/noExplicitAny: an answer as it came.
      return ((await response.json()) as any).choices[0];
    };
    const few = await choice('wrong-ids');
    expect(few.token_ids.length).toBe(few.logprobs.content.length - 1);
    expect(await choice('no-ids')).toMatchObject({ logprobs: null });
    expect(server.ledger.entries.map(({ failure }) => failure)).toEqual(['wrong-ids', 'no-ids']);
  });
});
