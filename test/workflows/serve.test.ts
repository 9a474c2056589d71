import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groupWorkflowId, partitionWorkflowId, runWorkflowId } from '../../src/core/ids.js';
import { keys } from '../../src/store/keys.js';
import { readServed, shiftLog } from '../../src/store/shifts.js';
import { groupsIn } from '../support/groups.js';
import { inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { serveConfig } from '../support/serve-config.js';
import { until } from '../support/until.js';

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
const QUICK = { agent: 'tool-calling', model: 'scripted/turns-2', groupSize: 2 } as const;
const SLOW = { ...QUICK, model: 'scripted/turns-10-delay-100ms' } as const;
const serves = (name: string, changes: Parameters<typeof serveConfig>[0] = {}) =>
  serveConfig({ jsonl: join(folder, name), hostId, shiftRollouts: 4, keepZeroVariance: true, ...changes });

async function rowsOf(name: string): Promise<string[]> {
  const text = await readFile(join(folder, name, 'groups.jsonl'), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).group_id);
}

/** Waits until a member of the n-th group (of two tasks in turn) is at work. */
const begun = (runId: string, n: number) =>
  until(async () => {
    const key = { runId, taskId: n % 2 === 0 ? 'one' : 'two', sample: 2 * Math.floor(n / 2), attempt: 1 };
    return (await host.store.children(keys.turns(key, 0))).length > 0;
  });

describe('a run that serves', () => {
  it('works off so many groups in shifts, delivers each, and is finished', async () => {
    await host.plan('served', await tasks(), { ...QUICK, groups: 5, serve: serves('served') });
    const { run, summary } = await host.finish('served');
    expect(run.status).toBe('finished');
    expect(summary).toMatchObject({ nRollouts: 10, nOpen: 0 });
    expect(await shiftLog(host.store, 'served').length()).toBe(3);
    expect(await readServed(host.store, 'served')).toMatchObject({ groups: 5, reason: 'groups' });
    expect((await rowsOf('served')).sort()).toEqual(
      (await groupsIn(host.store, 'served')).map(({ groupId }) => groupId).sort(),
    );
  });

  it('goes on without end until its trainer needs no more: what runs ends, nothing else begins', async () => {
    await host.plan('endless', await tasks(), { ...SLOW, concurrency: 2, serve: serves('endless') });
    const done = host.finish('endless');
    await begun('endless', 2);
    await host.runs.finish('endless');
    const { run, summary } = await done;
    expect(run.status).toBe('finished');
    expect(summary).toMatchObject({ nRollouts: 6, nOpen: 0, nCancelled: 0 });
    expect(await readServed(host.store, 'endless')).toMatchObject({ groups: 3, reason: 'trainer' });
    expect(await rowsOf('endless')).toHaveLength(3);
  });

  it('starts nothing beyond what its sinks allow, and ends nothing that runs', async () => {
    await host.plan('limited', await tasks(), {
      ...SLOW,
      concurrency: 8,
      groups: 4,
      serve: serves('limited'),
    });
    const done = host.finish('limited');
    await begun('limited', 0);
    // The newest word counts; two groups of the first shift run by now.
    await host.runs.allow('limited', 'jsonl', 1);
    await until(async () => (await groupsIn(host.store, 'limited')).length >= 2);
    expect(await shiftLog(host.store, 'limited').length()).toBeLessThanOrEqual(2);
    await host.runs.allow('limited', 'jsonl', 3);
    await until(async () => (await groupsIn(host.store, 'limited')).length >= 3);
    await host.runs.allow('limited', 'jsonl', 4);
    expect((await done).summary).toMatchObject({ nRollouts: 8, nOpen: 0, nCancelled: 0 });
  });

  it('ends in order when it is cancelled, and says how far it came', async () => {
    await host.plan('cancelled', await tasks(), { ...SLOW, concurrency: 4, serve: serves('cancelled') });
    const done = host.finish('cancelled');
    await begun('cancelled', 1);
    await host.runs.cancel('cancelled');
    expect((await done).run.status).toBe('cancelled');
    expect(await readServed(host.store, 'cancelled')).toMatchObject({ groups: 2, reason: 'cancelled' });
    const { status } = await host.client.workflow.getHandle(runWorkflowId('serve', 'cancelled')).describe();
    expect(status.name).toBe('CANCELLED');
  });

  it('recovers: shifts that have closed stay so, and every group is delivered once', async () => {
    const groups = { concurrency: 2, groups: 4 };
    await host.plan('recovered', await tasks(), { ...SLOW, ...groups, serve: serves('recovered') });
    await host.runs.start('recovered');
    await begun('recovered', 2);
    await host.runs.recover('recovered');
    expect(await host.runs.wait('recovered', AbortSignal.timeout(100_000))).toBe('finished');
    expect((await rowsOf('recovered')).sort()).toEqual(
      [0, 1].flatMap((index) => [`recovered/one/${index}`, `recovered/two/${index}`]).sort(),
    );
    const { status } = await host.client.workflow.getHandle(partitionWorkflowId('recovered', 0)).describe();
    expect(status.name).toBe('COMPLETED');
  });

  it('is paused where the workflow of a group has failed, as its sinks wait for that group; recover carries it on', async () => {
    await host.plan('holed', await tasks(), { ...SLOW, groups: 4, concurrency: 8, serve: serves('holed') });
    await host.runs.start('holed');
    await begun('holed', 0);
    await host.client.workflow
      .getHandle(groupWorkflowId({ runId: 'holed', taskId: 'one', index: 0 }))
      .terminate('by hand');
    await until(async () => (await host.runs.progress('holed'))?.reason === 'group_failed');
    expect((await host.runs.progress('holed'))?.detail).toContain('holed/one/0: ');
    await host.runs.recover('holed');
    expect(await host.runs.wait('holed', AbortSignal.timeout(100_000))).toBe('finished');
    expect((await rowsOf('holed')).sort()).toEqual(
      [0, 1].flatMap((n) => [`holed/one/${n}`, `holed/two/${n}`]).sort(),
    );
  });

  it('that has a sink which cannot go on is paused and says why, and goes on when somebody resumes it', async () => {
    const serve = serves('broken', { formats: ['no-such-format'] });
    await host.plan('broken', await tasks(), { ...QUICK, groups: 2, serve });
    await host.runs.start('broken');
    await until(async () => (await host.runs.progress('broken'))?.reason === 'sink_failed');
    const progress = await host.runs.progress('broken');
    expect(progress).toMatchObject({ status: 'paused', detail: expect.stringContaining('jsonl: ') });
    await host.runs.resume('broken');
    // It still cannot: the sink was started again, and the run is paused again.
    await until(async () => (await host.runs.progress('broken'))?.reason === 'sink_failed');
    await host.runs.cancel('broken');
    expect(await host.runs.wait('broken', AbortSignal.timeout(60_000))).toBe('cancelled');
  });
});
