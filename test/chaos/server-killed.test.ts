import { setTimeout as sleep } from 'node:timers/promises';
import { describe, it } from 'vitest';
import { ChaosRun } from './support/chaos-run.js';
import { expectInvariants } from './support/invariants.js';
import { watchRecovery } from './support/recovery.js';

const AWAY_MS = 30_000;
/** The workers live: whatever call was in the air is answered and recorded. */
const NOTHING_LOST = { takeovers: 0 };

describe.concurrent('a Temporal server', () => {
  it('that is killed is started again on its database, and the run goes on without help', async ({
    onTestFinished,
  }) => {
    const chaos = await ChaosRun.start({ runId: 'server-killed' }, onTestFinished);
    await chaos.startWorker();
    await chaos.begin();
    await chaos.underWay();
    const recovered = await watchRecovery(chaos, 'SIGKILL of the Temporal server');
    process.kill(chaos.serverPid, 'SIGKILL');
    chaos.letGo();
    await recovered();
    await expectInvariants(chaos, NOTHING_LOST);
  });

  it('that does not answer for 30 s ends no call in the air, and nothing is scored as a timeout', async ({
    onTestFinished,
  }) => {
    const chaos = await ChaosRun.start({ runId: 'server-away' }, onTestFinished);
    await chaos.startWorker();
    await chaos.begin();
    await chaos.underWay();
    const { serverPid } = chaos;
    process.kill(serverPid, 'SIGSTOP');
    chaos.letGo();
    await sleep(AWAY_MS);
    const recovered = await watchRecovery(chaos, 'Temporal server away for 30 s (from its return)');
    process.kill(serverPid, 'SIGCONT');
    await recovered();
    await expectInvariants(chaos, NOTHING_LOST);
  });
});
