import { expect, it } from 'vitest';
import { readResult } from '../../src/store/runs.js';
import { atWork } from './support/at-work.js';
import { ChaosRun } from './support/chaos-run.js';
import { expectInvariants } from './support/invariants.js';
import { livingOf } from './support/processes.js';
import { watchRecovery } from './support/recovery.js';

it('a killed worker takes its bubblewrap sandboxes along: their rollouts get another attempt, no process is left', async () => {
  const chaos = await ChaosRun.start({ runId: 'killed-bubblewrap', sandbox: 'bubblewrap' });
  const worker = await chaos.startWorker();
  await chaos.begin();
  await chaos.underWay();
  await chaos.killWorker(worker);
  chaos.letGo();
  const recovered = await watchRecovery(chaos, 'SIGKILL of the worker: bubblewrap sandboxes');
  const interrupted = await atWork(chaos);
  expect(chaos.offspring.filter(({ command }) => command.startsWith('bwrap')).length).toBeGreaterThan(0);
  await expect.poll(() => livingOf(chaos.offspring)).toEqual([]);
  await chaos.startWorker();
  await recovered();
  await expectInvariants(chaos, { takeovers: 1, attempts: 2 });
  const results = await Promise.all(interrupted.map((key) => readResult(chaos.store, key)));
  expect(results.map((result) => result?.attempt)).toContain(2);
});
