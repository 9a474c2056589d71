import { describe, expect, it } from 'vitest';
import { threat } from '../../support/threat.js';
import { listener, SERVE, SERVING, servingStore, threeTasks } from './rollout-api-host.js';

const asked = async (policyOrigins: string[]) => {
  const store = await servingStore(await threeTasks(), { serve: { ...SERVE, policyOrigins } });
  const host = await listener(store);
  return {
    host,
    post: (base_url: string) => host.post('/v1/rollouts', { id: 'g', item: 'one', policy: { base_url } }),
  };
};

describe(threat('a client of the HTTP API', 'other services of the network, by model calls'), () => {
  it.each([
    'http://127.0.0.1:2375/v1',
    'http://127.0.0.1:9000/v1',
    'https://127.0.0.1:9/v1',
    'http://localhost:9/v1',
    'http://10.0.0.8/v1',
  ])('POST /v1/rollouts takes no endpoint at another origin than the run’s: %s', async (url) => {
    const { host, post } = await asked([]);
    const { status, body } = await post(url);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'bad_input', path: 'policy.base_url' });
    expect(body.error.message).toContain(new URL(url).origin);
    expect(body.error.accepted).toContain('an address at http://127.0.0.1:9; --policy-origin');
    expect(host.cluster.started).toEqual([]);
    expect(await host.store.children('runs')).toEqual([SERVING]);
  });

  it('nor a metadata service, though it is listed', async () => {
    const { post } = await asked(['http://169.254.169.254']);
    for (const url of [
      'http://169.254.169.254/v1',
      'http://0xa9.254.0251.254/v1',
      'http://[::ffff:a9fe:a9fe]/v1',
    ])
      expect(await post(url)).toMatchObject({ status: 400, body: { error: { path: 'policy.base_url' } } });
  });

  it('one at the run’s own origin is taken, and at those that the run was started with', async () => {
    for (const url of ['http://127.0.0.1:9/other/v1', 'http://10.0.0.8/v1']) {
      const { post } = await asked(['http://10.0.0.8']);
      expect(await post(url)).toMatchObject({ status: 202, body: { policy: { base_url: url } } });
    }
  });
});
