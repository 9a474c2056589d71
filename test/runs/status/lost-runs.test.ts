import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import { expect, it } from 'vitest';
import { nameLostRuns } from '../../../src/runs/status/name-lost-runs.js';
import { openStore } from '../../../src/store/index.js';
import { keys } from '../../../src/store/keys.js';
import type { ArtifactStore } from '../../../src/store/store.js';
import { countingStore } from '../../support/counting-store.js';
import { planRun } from '../../support/plan-run.js';
import { temporaryStateDir } from '../../support/state.js';

/** A cluster that knows no workflow. */
function emptyCluster(asked: string[]): Client {
  const describe = async (id: string) => {
    asked.push(id);
    throw new WorkflowNotFoundError('not there', id, undefined);
  };
  return { workflow: { getHandle: (id: string) => ({ describe: () => describe(id) }) } } as unknown as Client;
}

async function runsIn(count: number, closed: boolean): Promise<ArtifactStore> {
  const store = await openStore(await temporaryStateDir());
  for (let n = 0; n < count; n++) {
    const runId = `r${String(n).padStart(4, '0')}`;
    await planRun(store, runId, []);
    if (closed) await store.put(keys.summary(runId), new TextEncoder().encode('{}'));
  }
  return store;
}

it('runs that are closed cost a worker that starts one look each, without any of their records', async () => {
  const { store, reads } = countingStore(await runsIn(60, true));
  const [asked, said]: [string[], string[]] = [[], []];
  await nameLostRuns({ store, client: emptyCluster(asked) }, null, (line) => said.push(line));
  expect([asked, said]).toEqual([[], []]);
  expect([reads.lists, reads.gets, reads.looks.length]).toEqual([[keys.runs], [], 60]);
});

it('no more runs are looked at once enough are found that no worker would take', async () => {
  const { store, reads } = countingStore(await runsIn(200, false));
  const [asked, said]: [string[], string[]] = [[], []];
  await nameLostRuns({ store, client: emptyCluster(asked) }, null, (line) => said.push(line));
  expect([asked.length, said.length]).toEqual([4, 4]);
  expect(reads.total).toBeLessThan(100);
});
