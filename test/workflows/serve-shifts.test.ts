import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groupAt } from '../../src/core/group-plan.js';
import { groupId, runWorkflowId } from '../../src/core/ids.js';
import { MINUTE_MS } from '../../src/core/time.js';
import { buildRunDocument } from '../../src/report/document.js';
import type { RunDocument } from '../../src/report/summary.js';
import { TinkerLedger } from '../../src/sinks/tinker/ledger.js';
import { AppendLog } from '../../src/store/append-log.js';
import { keys } from '../../src/store/keys.js';
import { feedEntrySchema } from '../../src/store/serve.schema.js';
import { readServed, shiftLog } from '../../src/store/shifts.js';
import { groupsIn } from '../support/groups.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { MODEL_RUN } from '../support/model-run.js';
import { after, ModelServer, runs, says } from '../support/model-server.js';
import { serveConfig } from '../support/serve-config.js';
import { until } from '../support/until.js';

const RUN = 'weeks';
const TASKS = ['one', 'two', 'three'];
const SIZE = 2;
const GROUPS = 22;
/** A group in each, so 22 of them. */
const SHIFT_ROLLOUTS = 2;
const SHIFTS_PER_HISTORY = 9;
const SEED = 1;
const STRAGGLE_MS = 1_500;
const PATIENCE_MS = 6 * MINUTE_MS;

const keyOf = (n: number) => ({ runId: RUN, ...groupAt(TASKS, n) });
const ALL = Array.from({ length: GROUPS }, (_, n) => groupId(keyOf(n))).sort();

let host: LongrunHost;
let folder: string;
let model: ModelServer;
let document: RunDocument;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longrun-shifts-'));
  host = await LongrunHost.start();
  // Of each five samples of a task one is late, so that shifts end long after the next one has begun.
  model = await ModelServer.start(({ seed, turn }) => {
    const isLate = ((seed ?? SEED) - SEED) % 5 === 1;
    if (turn > 0) return says('Done.');
    return after(isLate ? STRAGGLE_MS : 0, runs('echo 42 > /app/answer'));
  });
  document = await serveThroughTrouble();
}, PATIENCE_MS);
afterAll(async () => {
  await host.stop();
  await model.close();
  await rm(folder, { recursive: true, force: true });
});

/** A run of many shifts that is paused, held back by a sink, and whose worker is replaced meanwhile. */
async function serveThroughTrouble(): Promise<RunDocument> {
  const { hostId } = await host.startWorker({ sliceMs: 500 });
  const tasks = await Promise.all(TASKS.map((taskId) => inlineTask({ taskId, test: answerTest('42') })));
  const serve = serveConfig({
    jsonl: join(folder, 'rows'),
    tinker: join(folder, 'batches'),
    hostId,
    shiftRollouts: SHIFT_ROLLOUTS,
    shiftsPerHistory: SHIFTS_PER_HISTORY,
    keepZeroVariance: true,
    batchGroups: 4,
  });
  const { baseUrl } = model;
  const groups = { groupSize: SIZE, groups: GROUPS, concurrency: 4, seed: SEED };
  await host.plan(RUN, tasks, { ...MODEL_RUN, baseUrl, ...groups, serve });
  await host.runs.start(RUN);
  const done = host.runs.wait(RUN, AbortSignal.timeout(PATIENCE_MS));
  const closed = (n: number) => until(async () => (await groupsIn(host.store, RUN)).length >= n);

  await closed(3);
  await host.runs.pause(RUN);
  await host.runs.resume(RUN);
  await closed(6);
  await host.worker?.shutdown();
  await host.runs.allow(RUN, 'tinker', 11);
  await host.startWorker({ sliceMs: 500 });
  await closed(11);
  await host.runs.pause(RUN);
  await until(async () => (await host.runs.progress(RUN))?.status === 'paused');
  await host.runs.allow(RUN, 'tinker', Number.MAX_SAFE_INTEGER);
  await host.runs.resume(RUN);
  return buildRunDocument(host.store, RUN, await done);
}

describe('a run that serves through more than twenty shifts', () => {
  it('ends with every group of its sequence closed once, and no rollout cancelled', async () => {
    expect(document.run.status).toBe('finished');
    expect(document.summary).toMatchObject({
      nRollouts: GROUPS * SIZE,
      nOpen: 0,
      nCancelled: 0,
      nInfrastructure: 0,
    });
    expect(await readServed(host.store, RUN)).toMatchObject({ groups: GROUPS, reason: 'groups' });
    expect((await groupsIn(host.store, RUN)).map((group) => group.groupId).sort()).toEqual(ALL);
  });

  it('hands the sequence out in shifts without a gap, which overlap', async () => {
    const log = shiftLog(host.store, RUN);
    const shifts = await Promise.all(Array.from({ length: await log.length() }, (_, n) => log.read(n)));
    expect(shifts.length).toBeGreaterThanOrEqual(20);
    expect(shifts.map((shift) => shift?.from)).toEqual(shifts.map((_, n) => n));
    const groups = await groupsIn(host.store, RUN);
    const overlap = shifts.slice(1).filter((shift, n) => {
      const before = groups.find((group) => group.groupId === groupId(keyOf(n)));
      return (shift?.openedAt ?? 0) < (before?.closedAt ?? 0);
    });
    expect(overlap.length).toBeGreaterThan(5);
  });

  it('has each group in its feed and in the ledger of each sink', async () => {
    const feed = new AppendLog(host.store, feedEntrySchema, keys.feed(RUN));
    const entries = await Promise.all(Array.from({ length: await feed.length() }, (_, n) => feed.read(n)));
    const fed = entries.flatMap((entry) => (entry === null ? [] : groupId({ runId: RUN, ...entry })));
    expect([...new Set(fed)].sort()).toEqual(ALL);

    const rows = (await readFile(join(folder, 'rows', 'groups.jsonl'), 'utf8')).trim().split('\n');
    expect(rows.map((row) => JSON.parse(row).group_id).sort()).toEqual(ALL);

    const { batches, skipped } = await TinkerLedger.open(host.store, RUN);
    const taken = [...batches.flatMap(({ groups }) => groups), ...skipped].map((group) =>
      groupId({ runId: RUN, ...group }),
    );
    expect(taken.sort()).toEqual(ALL);
  });

  it('continued as new with no shift open, and no message to it was lost', async () => {
    const runs = [];
    const id = runWorkflowId('serve', RUN);
    for await (const { runId, status } of host.client.workflow.list({ query: `WorkflowId = '${id}'` }))
      runs.push({ runId, status: status.name });
    expect(runs.length).toBeGreaterThanOrEqual(3);
    expect(runs.map(({ status }) => status).sort()).toEqual([
      'COMPLETED',
      ...runs.slice(1).map(() => 'CONTINUED_AS_NEW'),
    ]);
    const told: string[] = [];
    for (const { runId } of runs) {
      const { events } = await host.client.workflow.getHandle(id, runId).fetchHistory();
      for (const event of events ?? [])
        told.push(event.workflowExecutionSignaledEventAttributes?.signalName ?? '');
    }
    expect(told.filter((name) => name === 'pause')).toHaveLength(2);
    expect(told.filter((name) => name === 'resume')).toHaveLength(2);
    const open = host.client.workflow.list({
      query: `LongrunRunId = '${RUN}' AND ExecutionStatus = 'Running'`,
    });
    for await (const { workflowId } of open) expect(workflowId).toMatch(/^budget\//);
  });
});
