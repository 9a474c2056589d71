import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keys } from '../../src/store/keys.js';
import { readRecord } from '../../src/store/records/records.js';
import { placementSchema } from '../../src/store/records/records.schema.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';

let host: LongrunHost;

beforeAll(async () => {
  host = await LongrunHost.start();
  await host.startWorker({ hostId: 'books', role: 'orchestrator' });
  await host.startWorker({ hostId: 'one', role: 'host', capacity: 2 });
  await host.startWorker({ hostId: 'two', role: 'host', capacity: { memory: 3 } });
});
afterAll(() => host.stop());

const nothing = () => inlineTask({ taskId: 'task', test: answerTest('42') });

async function hostsOf(runId: string, samples: number): Promise<string[]> {
  const hosts = Array.from({ length: samples }, async (_, sample) => {
    const key = keys.placement({ runId, taskId: 'task', sample, attempt: 1 });
    return (await readRecord(host.store, placementSchema, key))?.hostId ?? 'none';
  });
  return Promise.all(hosts);
}

describe('several hosts on one state folder', () => {
  it('share the rollouts of a run, and the orchestrator takes none', async () => {
    await host.plan('shared', [await nothing()], {
      agent: 'tool-calling',
      model: 'scripted/turns-2-delay-50ms',
      samples: 20,
      concurrency: 20,
    });
    const { summary } = await host.finish('shared');
    expect(summary).toMatchObject({ nRollouts: 20, nScored: 20, nInfrastructure: 0 });
    expect(new Set(await hostsOf('shared', 20))).toEqual(new Set(['one', 'two']));
  });

  it('refuse a second process of the same name, and orchestrators without a name never collide', async () => {
    await expect(host.startWorker({ hostId: 'one', role: 'host' })).rejects.toMatchObject({
      code: 'host_locked',
    });
    const first = await host.startWorker({ role: 'orchestrator' });
    const second = await host.startWorker({ role: 'orchestrator' });
    expect(second.hostId).not.toBe(first.hostId);
  });
});
