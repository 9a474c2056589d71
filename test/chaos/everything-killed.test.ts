import { describe, it, onTestFinished } from 'vitest';
import { ChaosRun } from './support/chaos-run.js';
import { expectInvariants } from './support/invariants.js';
import { type LongrunCommand, startLongrun } from './support/longrun-command.js';
import { watchRecovery } from './support/recovery.js';

describe('server and worker killed at once', () => {
  it('are brought back by longrun up, and the run goes on where it was', async () => {
    const chaos = await ChaosRun.start({ runId: 'everything-killed' });
    const up = await bringUp(chaos);
    await chaos.begin();
    await chaos.underWay();
    const { serverPid } = chaos;
    // From here on nobody but the commands of this state folder cares for its server.
    await chaos.host.cluster.detach();
    up.process.kill('SIGKILL');
    process.kill(serverPid, 'SIGKILL');
    chaos.letGo();
    await up.ended;
    const recovered = await watchRecovery(chaos, 'SIGKILL of everything, then longrun up');
    await bringUp(chaos);
    await recovered();
    await expectInvariants(chaos, { takeovers: 1 });
  });
});

async function bringUp(chaos: ChaosRun): Promise<LongrunCommand> {
  const up = startLongrun(chaos.host.stateDir, 'up', '--capacity', String(chaos.capacity));
  onTestFinished(async () => {
    up.process.kill('SIGKILL');
    await up.ended;
  });
  await up.says('is ready');
  return up;
}
