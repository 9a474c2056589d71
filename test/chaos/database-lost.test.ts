import { describe, expect, it } from 'vitest';
import { keys } from '../../src/store/keys.js';
import { readResult } from '../../src/store/runs.js';
import { containersOf } from '../support/docker-host.js';
import { ChaosRun } from './support/chaos-run.js';
import { expectInvariants } from './support/invariants.js';
import { longrunJson } from './support/longrun-command.js';
import { watchRecovery } from './support/recovery.js';

describe('a run whose Temporal database was deleted under it', () => {
  it('is rebuilt by longrun runs recover: nothing recorded runs again, living containers are adopted', async () => {
    const chaos = await ChaosRun.start({ runId: 'database-lost' });
    const worker = await chaos.startWorker();
    await chaos.begin();
    await chaos.underWay();
    await chaos.killWorker(worker);
    chaos.letGo();
    const before = await sealedResults(chaos);
    const containers = await containersOf(chaos.store);
    expect(containers.length).toBeGreaterThan(0);

    await chaos.host.loseDatabase();
    await chaos.startWorker();
    const recovered = await watchRecovery(chaos, 'Temporal database deleted (from longrun runs recover)');
    const answer = await longrunJson(chaos.host.stateDir, 'runs', 'recover', chaos.runId);
    expect(answer).toEqual({ run_id: chaos.runId, incarnation: 2 });
    await recovered();
    await expectInvariants(chaos, { takeovers: 1 });
    const after = await sealedResults(chaos);
    for (const [name, bytes] of before) expect(after.get(name), name).toEqual(bytes);
  });
});

async function sealedResults(chaos: ChaosRun): Promise<Map<string, Uint8Array | null>> {
  const found = new Map<string, Uint8Array | null>();
  for (const key of await chaos.rollouts())
    if ((await readResult(chaos.store, key)) !== null)
      found.set(`${key.taskId}/${key.sample}`, await chaos.store.get(keys.result(key)));
  return found;
}
