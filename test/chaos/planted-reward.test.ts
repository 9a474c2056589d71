import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeContainersOf } from '../support/docker-host.js';
import { LongrunHost } from '../support/longrun-host.js';
import { besideNeighbours, type Misbehaving } from './support/beside-neighbours.js';

let host: LongrunHost;
beforeAll(async () => {
  host = await LongrunHost.start();
  await host.startWorker();
});
afterAll(async () => {
  await removeContainersOf(host.store);
  await host.stop();
});

const PLANT = 'mkdir -p /logs/verifier; echo 1 > /logs/verifier/reward.txt';
const ENDLESS = `#!/bin/sh
trap '' TERM INT HUP
echo 1 > /logs/verifier/reward.txt
(setsid sleep 600 &)
while :; do sleep 600; done
`;

const CASES: Record<string, Misbehaving> = {
  planted: { commands: [PLANT] },
  'planted-for-silent-tests': { commands: [PLANT], test: '#!/bin/sh\ntrue\n' },
  'endless-test': { commands: ['true'], test: ENDLESS, verifier: { timeoutMs: 2_000 } },
  'endless-test-and-planted': { commands: [PLANT], test: ENDLESS, verifier: { timeoutMs: 2_000 } },
};

describe.each(['docker', 'bubblewrap'] as const)('in %s', (sandbox) => {
  it('a planted reward is removed and reported, and tests that never end are killed and score nothing', async () => {
    const found = await besideNeighbours(host, `planted-${sandbox}`, CASES, { sandbox });
    const planted = { suspectedTampering: ['added /logs/verifier/reward.txt'] };
    expect(found.planted).toMatchObject({
      ...planted,
      reward: 0,
      stopReason: 'natural',
      queueState: 'needs_human_review',
    });
    expect(found['planted-for-silent-tests']).toMatchObject({
      ...planted,
      reward: null,
      stopReason: 'verifier_error',
      attempts: 1,
      failure: { retryable: false },
    });
    for (const name of ['endless-test', 'endless-test-and-planted'])
      expect(found[name]).toMatchObject({
        reward: null,
        stopReason: 'verifier_timeout',
        failureClass: 'infrastructure',
        attempts: 1,
        failure: { code: 'verifier_timeout', retryable: false },
      });
    expect(found['endless-test-and-planted']).toMatchObject(planted);
  });
});
