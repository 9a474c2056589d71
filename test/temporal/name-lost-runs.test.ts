import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { nameLostRuns } from '../../src/runs/status/name-lost-runs.js';
import { openStore } from '../../src/store/index.js';
import { keys } from '../../src/store/keys.js';
import type { ArtifactStore } from '../../src/store/store.js';
import { connectClient } from '../../src/temporal/connect.js';
import { createRunClient } from '../../src/temporal/temporal-run-client.js';
import { planRun } from '../support/plan-run.js';
import { temporaryStateDir } from '../support/state.js';
import { freshCluster } from '../support/temporal.js';

let cluster: Awaited<ReturnType<typeof freshCluster>>;
beforeAll(async () => {
  cluster = await freshCluster();
});

async function openSession(...runIds: string[]) {
  const store = await openStore(await temporaryStateDir());
  const { client, close } = await connectClient(cluster);
  onTestFinished(close);
  for (const runId of runIds) await planRun(store, runId, []);
  const named = async (except: string | null = null): Promise<string[]> => {
    const lines: string[] = [];
    await nameLostRuns({ store, client }, except, (line) => lines.push(line));
    return lines;
  };
  return { store, client, named };
}

const closeRun = (store: ArtifactStore, runId: string): Promise<void> =>
  store.put(keys.summary(runId), new TextEncoder().encode('{}'));

it('names open runs that the server does not know, with the command that recovers them', async () => {
  const { store, client, named } = await openSession('closed', 'known', 'lost', 'starting');
  await closeRun(store, 'closed');
  await createRunClient(client, store).start('known');
  expect(await named('starting')).toEqual([
    expect.stringMatching(/^Run lost is open.*longrun runs recover lost$/),
  ]);
});

it('names runs whose workflows wait for workers of another version', async () => {
  const { client, named } = await openSession('older');
  await client.workflow.start('evaluate', { workflowId: 'evaluate/older', taskQueue: 'wf-0', args: [] });
  expect(await named()).toEqual([expect.stringContaining('longrun runs recover older')]);
});

it('names a handful of many', async () => {
  const { named } = await openSession('a', 'b', 'c', 'd', 'e');
  const lines = await named();
  expect(lines).toHaveLength(4);
  expect(lines[3]).toContain('longrun runs list');
});
