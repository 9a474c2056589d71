import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { keys } from '../../src/store/keys.js';
import { readRecord } from '../../src/store/records/records.js';
import { placementSchema } from '../../src/store/records/records.schema.js';
import { readPlan, readResults } from '../../src/store/runs.js';
import { MAX_TURNS } from '../chaos/support/chaos-tasks.js';
import { brokenInvariants } from '../chaos/support/invariants.js';
import { temporaryFolder } from '../support/state.js';
import { writeTaskFolders } from './support/task-folders.js';
import { Topology } from './support/topology.js';

const SAMPLES = 6;
const ROLLOUTS = 24;

let topology: Topology | undefined;

beforeAll(async () => {
  topology = await Topology.start('many-hosts');
});
afterAll(() => topology?.stop());

it('a run on two hosts survives SIGKILL of PostgreSQL and of a host, and pays for nothing twice', async () => {
  if (topology === undefined) throw new Error('there is no topology');
  const { runId, endpoint } = topology;
  const tasks = await temporaryFolder();
  await writeTaskFolders(tasks);
  const [one] = await Promise.all([topology.startHost('one'), topology.startHost('two')]);
  const flags = ['--sandbox', 'docker', '--samples', String(SAMPLES), '--max-turns', String(MAX_TURNS)];
  const model = ['--model', 'test-model', '--base-url', endpoint.baseUrl];
  await topology.client(
    'evaluate',
    tasks,
    ...model,
    ...flags,
    '--concurrency',
    '8',
    '--run-id',
    runId,
    '--detach',
  );

  await topology.untilSealed(2);
  await topology.postgres.kill();
  await sleep(3_000);
  await topology.postgres.up();

  await topology.untilSealed(8);
  await topology.killHost(one);
  expect(await topology.sealed(), 'the run is not over yet').toBeLessThan(ROLLOUTS);
  await topology.startHost('one');

  await topology.finished();
  expect(await brokenInvariants(topology, { takeovers: 2 })).toEqual([]);
  expect(await hostsOf(topology)).toEqual(['one', 'two']);

  const shown = JSON.parse(await topology.client('runs', 'show', runId));
  expect(shown.run.location).toBe(`s3://longrun/lab/runs/${runId}`);
  expect(shown.summary).toMatchObject({ n_rollouts: ROLLOUTS, n_open: 0 });
});

/** Which hosts did the attempts that count. */
async function hostsOf({ store, runId }: Topology): Promise<string[]> {
  const hosts = new Set<string>();
  for (const result of await readResults(store, runId, await readPlan(store, runId))) {
    const placement = await readRecord(store, placementSchema, keys.placement({ runId, ...result }));
    if (placement !== null) hosts.add(placement.hostId);
  }
  return [...hosts].sort();
}
