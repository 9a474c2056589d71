import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readServed } from '../../src/store/shifts.js';
import { groupsIn } from '../support/groups.js';
import { inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { serveConfig } from '../support/serve-config.js';

let host: LongrunHost;
let folder: string;
let hostId: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longrun-serve-'));
  host = await LongrunHost.start();
  ({ hostId } = await host.startWorker({ sliceMs: 500 }));
});
afterAll(async () => {
  await host.stop();
  await rm(folder, { recursive: true, force: true });
});

const test = 'mkdir -p /logs/verifier; echo 1 > /logs/verifier/reward.txt\n';
const tasks = () => Promise.all(['one', 'two'].map((taskId) => inlineTask({ taskId, test })));

describe('a run that serves', () => {
  it('works off its groups in shifts and delivers each', async () => {
    const serve = serveConfig({ jsonl: join(folder, 'rows'), hostId, shiftRollouts: 4, keepZeroVariance: true });
    await host.plan('served', await tasks(), {
      agent: 'tool-calling',
      model: 'scripted/turns-2',
      groupSize: 2,
      groups: 5,
      serve,
    });
    const { run, summary } = await host.finish('served');
    expect(run.status).toBe('finished');
    expect(summary).toMatchObject({ nRollouts: 10, nOpen: 0 });
    expect(await readServed(host.store, 'served')).toMatchObject({ groups: 5, reason: 'groups' });
    expect(await groupsIn(host.store, 'served')).toHaveLength(5);
    const rows = (await readFile(join(folder, 'rows', 'groups.jsonl'), 'utf8')).trim().split('\n');
    expect(rows).toHaveLength(5);
  });
});
