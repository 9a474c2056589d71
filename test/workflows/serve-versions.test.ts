import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { episodesOfRun } from '../../src/records/episodes-of-run.js';
import { readSinkStatus } from '../../src/sinks/sink-status.js';
import { PolicyLog } from '../../src/store/policy-log.js';
import { readRun } from '../../src/store/runs.js';
import { inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { modelServer } from '../support/model-run.js';
import { runs, says } from '../support/model-server.js';
import { serveConfig } from '../support/serve-config.js';
import { rowsOf } from '../trajectories/process/folder.js';

let host: LongrunHost;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longrun-versions-'));
  host = await LongrunHost.start();
});
afterAll(async () => {
  await host.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Longer than a process takes an old version for the newest. */
const NOTICED_MS = 1_200;
const test = 'mkdir -p /logs/verifier; echo 1 > /logs/verifier/reward.txt\n';

it('stamps each turn of a rollout with the version of its own time, and masks it when it is shipped too late', async () => {
  const { hostId } = await host.startWorker({ sliceMs: 500 });
  const log = new PolicyLog(host.store, 'versions', Date.now);
  await log.tell({ version: '1', source: 'trainer' });
  const server = await modelServer(({ turn, seed }) => async (response) => {
    if (turn === 1 && seed === 1) {
      // The trainer takes a step while the second turn of the first rollout is sampled.
      await log.tell({ version: '2', source: 'trainer' });
      await sleep(NOTICED_MS);
    }
    await (turn < 3 ? runs('true') : says('Done.'))(response);
  });
  const jsonl = join(folder, 'rows');
  await host.plan('versions', [await inlineTask({ taskId: 'one', test })], {
    ...{ agent: 'tool-calling', model: 'test-model', baseUrl: server.baseUrl },
    ...{ groupSize: 1, groups: 1, seed: 1 },
    serve: serveConfig({ jsonl, hostId, keepZeroVariance: true, maxLag: 0 }),
  });
  expect((await host.finish('versions')).run.status).toBe('finished');

  const versions: (string | null)[] = [];
  for await (const { turns } of episodesOfRun(host.store, 'versions'))
    versions.push(...turns.map(({ policyVersion }) => policyVersion));
  expect(versions).toEqual(['1', '1', '2', '2']);
  expect(server.seen.map(({ turn }) => turn)).toEqual([0, 1, 2, 3]);
  const [group] = rowsOf(jsonl, 'groups.jsonl');
  expect(group).toMatchObject({ policy_versions: ['1'], members: [{ policy_version: '1' }] });
  // It began one version ago.
  expect(await readSinkStatus(host.store, await readRun(host.store, 'versions'), 'jsonl')).toMatchObject({
    ...{ delivered: 1, masked: 1, lag: 1, policyVersion: '2' },
  });
});
