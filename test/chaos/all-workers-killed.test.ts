import { setTimeout as sleep } from 'node:timers/promises';
import { describe, it } from 'vitest';
import { ChaosRun } from './support/chaos-run.js';
import { expectInvariants } from './support/invariants.js';
import { watchRecovery } from './support/recovery.js';

const AWAY_MS = 60_000;

describe('every worker killed at once, and no worker for a minute', () => {
  it('costs the run that minute: both hosts take their own sandboxes up again', async () => {
    const chaos = await ChaosRun.start({ runId: 'all-killed', capacity: 5, config: { concurrency: 10 } });
    const hosts = ['first', 'second'];
    const workers = await Promise.all(hosts.map((hostId) => chaos.startWorker({ hostId })));
    await chaos.begin();
    await chaos.underWay(4);
    await Promise.all(workers.map((worker) => chaos.killWorker(worker)));
    await sleep(AWAY_MS);
    const recovered = await watchRecovery(
      chaos,
      'SIGKILL of every worker (from the restart, after a minute)',
    );
    await Promise.all(hosts.map((hostId) => chaos.startWorker({ hostId })));
    await recovered();
    await expectInvariants(chaos, { takeovers: 1 });
  });
});
