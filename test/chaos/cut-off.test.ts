import { setTimeout as sleep } from 'node:timers/promises';
import { describe, it } from 'vitest';
import { ChaosRun } from './support/chaos-run.js';
import { expectInvariants } from './support/invariants.js';
import { watchRecovery } from './support/recovery.js';
import { TcpProxy } from './support/tcp-proxy.js';

/** Longer than the heartbeat timeout of 15 s. */
const AWAY_MS = 20_000;

describe.concurrent('a worker that is cut off from Temporal only', () => {
  it.for(['cut', 'stall'] as const)(
    '(%s) records what was in the air, starts nothing new, and goes on when the line is back',
    async (fault, { onTestFinished }) => {
      const chaos = await ChaosRun.start({ runId: `off-${fault}` }, onTestFinished);
      const proxy = await TcpProxy.start(chaos.host.cluster.address);
      onTestFinished(() => proxy.close());
      await chaos.startWorker({ address: proxy.address });
      await chaos.begin();
      await chaos.underWay();
      proxy[fault]();
      chaos.letGo();
      await sleep(AWAY_MS);
      const recovered = await watchRecovery(
        chaos,
        `worker cut off from Temporal for 20 s (${fault}; from the return)`,
      );
      proxy.restore();
      await recovered();
      await expectInvariants(chaos, { takeovers: 0 });
    },
  );
});
