import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groupId, rolloutId, runWorkflowId } from '../../src/core/ids.js';
import { MINUTE_MS } from '../../src/core/time.js';
import { buildRunDocument } from '../../src/records/document.js';
import type { RunDocument } from '../../src/records/summary.js';
import { claimSchema } from '../../src/sinks/host/claim.schema.js';
import { readSinkStatus } from '../../src/sinks/sink-status.js';
import { TinkerLedger } from '../../src/sinks/tinker/ledger.js';
import { AppendLog } from '../../src/store/append-log.js';
import { keys } from '../../src/store/keys.js';
import { feedEntrySchema } from '../../src/store/records/serve.schema.js';
import { readRun } from '../../src/store/runs.js';
import { readServed, shiftLog } from '../../src/store/shifts.js';
import { readLedger } from '../../src/trajectories/process/output-ledger.js';
import { groupsIn } from '../support/groups.js';
import { contentOf, rowsOf } from '../trajectories/process/folder.js';
import { atroposSequences, type DeliveredSequence, datumSequences } from './support/delivered.js';
import {
  BATCH_GROUPS,
  CONCURRENCY,
  EventfulServe,
  GROUP_SIZE,
  GROUPS,
  groupKey,
  HELD,
  RUN,
  SHIFTS_PER_HISTORY,
} from './support/eventful-serve.js';
import {
  carriedInto,
  historiesOf,
  type RunHistory,
  type Steering,
  steered,
} from './support/run-histories.js';

const sorted = (values: Iterable<string>): string[] => [...values].sort();
const KEYS = Array.from({ length: GROUPS }, (_, n) => groupKey(n));
const ALL_GROUPS = sorted(KEYS.map(groupId));
const ALL_ROLLOUTS = sorted(
  KEYS.flatMap(({ index, ...key }) =>
    Array.from({ length: GROUP_SIZE }, (_, i) => rolloutId({ ...key, sample: index * GROUP_SIZE + i })),
  ),
);

let serving: EventfulServe | undefined;
let document: RunDocument;
let histories: RunHistory[];
const run = () => serving as EventfulServe;

beforeAll(async () => {
  serving = await EventfulServe.start();
  const status = await serving.play();
  document = await buildRunDocument(serving.host.store, RUN, status);
  histories = await historiesOf(serving.host.client, runWorkflowId('serve', RUN));
}, 7 * MINUTE_MS);
afterAll(() => serving?.end());

describe('a run that serves through more than twenty shifts while its workers die and are replaced', () => {
  it('ends with every group and rollout of its sequence once, and none cancelled', async () => {
    const { store } = run().host;
    expect(document.run.status).toBe('finished');
    expect(document.summary).toMatchObject({
      ...{ nRollouts: GROUPS * GROUP_SIZE, nScored: GROUPS * GROUP_SIZE, nPassed: GROUPS },
      ...{ nOpen: 0, nCancelled: 0, nInfrastructure: 0 },
    });
    expect(sorted(document.rollouts.map((rollout) => rollout.rolloutId))).toEqual(ALL_ROLLOUTS);
    const groups = await groupsIn(store, RUN);
    expect(sorted(groups.map((group) => group.groupId))).toEqual(ALL_GROUPS);
    const members = groups.flatMap((group) => group.members.map((member) => member.rolloutId));
    expect(sorted(members)).toEqual(ALL_ROLLOUTS);
    expect(await readServed(store, RUN)).toMatchObject({ groups: GROUPS, reason: 'trainer' });
  });

  it('hands the sequence out in shifts without a gap, and opens later ones beside a straggler', async () => {
    const { store } = run().host;
    const log = shiftLog(store, RUN);
    const shifts = await Promise.all(Array.from({ length: await log.length() }, (_, n) => log.read(n)));
    expect(shifts.map((shift) => [shift?.from, shift?.to])).toEqual(KEYS.map((_, n) => [n, n + 1]));
    const groups = new Map((await groupsIn(store, RUN)).map((group) => [group.groupId, group]));
    for (const n of [HELD.killed, HELD.stopped]) {
      const straggler = groups.get(groupId(groupKey(n)));
      for (const later of [n + 1, n + 2])
        expect(shifts[later]?.openedAt).toBeLessThan(straggler?.closedAt ?? 0);
    }
    // Its sandbox died with the worker.
    const [killed] = groups.get(groupId(groupKey(HELD.killed)))?.members.slice(-1) ?? [];
    expect(killed).toMatchObject({ attempt: 2, reward: 0 });
  });

  it('continues as new with no shift open, and hands on all that it was told by then', () => {
    expect(histories.map(({ continued }) => continued)).toEqual([true, true, true, false]);
    expect(histories.map(({ children }) => children)).toEqual(
      [SHIFTS_PER_HISTORY, SHIFTS_PER_HISTORY, SHIFTS_PER_HISTORY, 0].map((shifts) => ({
        ...{ started: shifts, completed: shifts },
      })),
    );
    let steering: Steering = { paused: false, concurrency: CONCURRENCY };
    for (const [i, { signals }] of histories.slice(0, -1).entries()) {
      const handedOn = carriedInto(histories[i + 1] as RunHistory) as Steering;
      expect(handedOn).toEqual(steered(steering, signals));
      steering = handedOn;
    }
    // The last word of the trainer: it had trained four batches, and three more may be under way.
    expect(steering.serve).toMatchObject({ limits: { tinker: 7 * BATCH_GROUPS }, finishing: true });
  });

  it('has heard each message once and in order, whether it was continuing as new or had no worker', () => {
    const { identity } = run().host.client.workflow.options;
    const heard = histories.map(({ signals }) =>
      signals.filter(({ sender }) => sender === identity).map(({ name, args }) => ({ name, args })),
    );
    expect(heard.flat()).toEqual(run().told);
    expect(run().told.filter(({ name }) => name === 'pause')).toHaveLength(2);
    // Told while a straggler kept the run from continuing: what was to be handed on.
    const [first, second, third] = heard;
    expect(first).toContainEqual({ name: 'allowance', args: ['jsonl', 1_000_000 + HELD.border] });
    expect(second).toContainEqual({ name: 'allowance', args: ['jsonl', 1_000_000 + HELD.nextBorder] });
    expect(third).toContainEqual({ name: 'finish', args: [] });
  });
});

describe('both sinks of such a run', () => {
  it('have delivered every group, whoever executed them', async () => {
    const { store } = run().host;
    for (const sink of ['jsonl', 'tinker'] as const) {
      expect(await readSinkStatus(store, await readRun(store, RUN), sink)).toMatchObject({
        ...{ delivered: GROUPS, queued: 0, parked: 0, skipped: 0, masked: 0 },
      });
      // One in each history, and one after each end of a worker.
      const claims = new AppendLog(store, claimSchema, keys.sinkClaims(RUN, sink));
      expect(await claims.length()).toBeGreaterThanOrEqual(histories.length + 2);
    }
    const feed = new AppendLog(store, feedEntrySchema, keys.feed(RUN));
    const entries = await Promise.all(Array.from({ length: await feed.length() }, (_, n) => feed.read(n)));
    const fed = entries.flatMap((entry) => (entry === null ? [] : groupId({ runId: RUN, ...entry })));
    expect(sorted(new Set(fed))).toEqual(ALL_GROUPS);
  });

  it('jsonl has each group once in its ledger, and once in its files', async () => {
    const { rows } = run();
    const ledger = await readLedger(join(rows, 'ledger.jsonl'));
    expect(sorted(ledger?.groups ?? [])).toEqual(ALL_GROUPS);
    for (const name of ['groups.jsonl', 'atropos-group.jsonl'])
      expect(sorted(rowsOf(rows, name).map(groupOfRow))).toEqual(ALL_GROUPS);
    expect(rowsOf(rows, 'rejected.jsonl')).toEqual([]);
    expectEachOnce(atroposSequences(rows));
  });

  it('tinker has each group once in its ledger, and in one of its batches', async () => {
    const { host, batches: folder } = run();
    const { batches, skipped } = await TinkerLedger.open(host.store, RUN);
    const decided = batches.map(({ groups }) => groups.map((group) => groupId({ runId: RUN, ...group })));
    expect(sorted(decided.flat())).toEqual(ALL_GROUPS);
    expect(skipped).toEqual([]);
    expect(rowsOf(folder, 'index.jsonl').map(({ groups }) => groups)).toEqual(decided);
    expect(JSON.parse(contentOf(folder)['manifest.json'] ?? '')).toMatchObject({
      ...{ batches: GROUPS / BATCH_GROUPS, skipped_groups: 0, complete: true },
    });
    expectEachOnce(datumSequences(folder));
  });

  it('have what the model sampled, id by id, with its log-probabilities', () => {
    const { model, rows, batches } = run();
    const sampled = new Set(
      model.ledger.entries.map(({ tokenIds, logprobs }) => exactly(tokenIds, logprobs)),
    );
    for (const sequences of [atroposSequences(rows), datumSequences(batches)]) {
      const stretches = sequences.flatMap((sequence) => sequence.stretches);
      // A rollout has two turns.
      expect(stretches).toHaveLength(2 * ALL_ROLLOUTS.length);
      for (const { ids, logprobs } of stretches) expect(sampled).toContain(exactly(ids, logprobs));
    }
  });
});

const exactly = (ids: readonly number[], logprobs: readonly number[]) => JSON.stringify([ids, logprobs]);

function groupOfRow({ group_id, group_overrides }: Record<string, unknown>): string {
  return String(group_id ?? (group_overrides as { group_id: string }).group_id);
}

/** Every group, and in it every training sequence of each of its rollouts. */
function expectEachOnce(sequences: readonly DeliveredSequence[]): void {
  expect(sorted(new Set(sequences.map((sequence) => sequence.groupId)))).toEqual(ALL_GROUPS);
  const of = new Map<string, DeliveredSequence[]>();
  for (const one of sequences) of.set(one.rolloutId, [...(of.get(one.rolloutId) ?? []), one]);
  expect(sorted(of.keys())).toEqual(ALL_ROLLOUTS);
  for (const found of of.values())
    expect(found.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: found[0]?.sequences ?? 0 }, (_, n) => n),
    );
}
