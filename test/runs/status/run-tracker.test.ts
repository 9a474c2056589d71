import { beforeEach, describe, expect, it } from 'vitest';
import { RunTracker } from '../../../src/runs/status/run-tracker.js';
import { openStore } from '../../../src/store/index.js';
import { keys } from '../../../src/store/keys.js';
import { writeRecord } from '../../../src/store/records/records.js';
import {
  agentEndSchema,
  callRecordSchema,
  type Plan,
  placementSchema,
  type RolloutResult,
  rolloutResultSchema,
} from '../../../src/store/records/records.schema.js';
import type { ArtifactStore } from '../../../src/store/store.js';
import { LOST, rolloutResult, runRecord } from '../../launch/support/records.js';
import { countingStore } from '../../support/counting-store.js';
import { temporaryStateDir } from '../../support/state.js';

const key = (taskId: string, sample: number) => ({ runId: 'r', taskId, sample });
const planOf = (tasks: string[], samples: number): Plan => ({
  schemaVersion: 1,
  tasks: tasks.map((taskId) => ({ taskId, samples })),
});

describe('following a run in its store', () => {
  let store: ArtifactStore;
  let now: number;
  beforeEach(async () => {
    store = await openStore(await temporaryStateDir());
    now = 0;
  });
  const tracker = (plan: Plan) => new RunTracker(store, runRecord('r'), plan, () => now);
  const finish = (result: RolloutResult) =>
    writeRecord(store, rolloutResultSchema, keys.result(key(result.taskId, result.sample)), result);

  it('shows each rollout where it is', async () => {
    const follow = tracker(planOf(['a', 'b'], 3));
    await finish(rolloutResult('r', 'a', 0));
    await finish(rolloutResult('r', 'a', 1, { reward: 0.5 }));
    await finish(rolloutResult('r', 'a', 2, { reward: 0 }));
    await finish(rolloutResult('r', 'b', 0, LOST));
    await placed('b', 1);
    await turn('b', 1, 0);
    const finished = await follow.poll();
    expect(finished.map((result) => result.rolloutId)).toEqual(['r/a/0', 'r/a/1', 'r/a/2', 'r/b/0']);
    const view = follow.view('running');
    expect(view.tasks.map(({ marks }) => marks)).toEqual([
      ['passed', 'partly', 'failed'],
      ['infrastructure', 'agent', 'waiting'],
    ]);
    expect(view).toMatchObject({
      total: 6,
      done: 4,
      turns: 13,
      tokens: 4 * 110 + 15,
      trouble: expect.stringContaining('b/0'),
    });
    expect(view.costUsd).toBeCloseTo(2.25);
  });

  it('tells a result only once, and reads each turn only once', async () => {
    const follow = tracker(planOf(['a'], 2));
    await finish(rolloutResult('r', 'a', 0));
    await placed('a', 1);
    await turn('a', 1, 0);
    await turn('a', 1, 1);
    expect(await follow.poll()).toHaveLength(1);
    await turn('a', 1, 2);
    expect(await follow.poll()).toHaveLength(0);
    expect(follow.view('running').turns).toBe(3 + 3);
  });

  it('sees the verifier at work, and counts a finished rollout by its result alone', async () => {
    const follow = tracker(planOf(['a'], 1));
    await placed('a', 0);
    await turn('a', 0, 0);
    const end = {
      schemaVersion: 1 as const,
      stopReason: 'natural' as const,
      failure: null,
      turns: 1,
      activeMs: 1,
      endedAt: 1,
    };
    await writeRecord(store, agentEndSchema, keys.agentEnd({ ...key('a', 0), attempt: 1 }, 0), end);
    await follow.poll();
    expect(follow.view('running').tasks[0]?.marks).toEqual(['verifying']);
    await finish(rolloutResult('r', 'a', 0, { turns: 1 }));
    await follow.poll();
    expect(follow.view('running')).toMatchObject({ done: 1, turns: 1, tokens: 110 });
  });

  it('looks only at what is in flight', async () => {
    const tasks = Array.from({ length: 300 }, (_, i) => `task-${i}`);
    const follow = tracker(planOf(tasks, 1));
    for (const taskId of tasks.slice(0, 100)) await finish(rolloutResult('r', taskId, 0));
    await follow.poll();
    await placed('task-100', 0);
    await follow.poll();
    const { store: counting, reads } = countingStore(store);
    Object.assign(follow, { store: counting });
    await follow.poll();
    expect(reads.total).toBeLessThan(10);
  });

  it('looks at a part of the tasks of a large run that have more to start, and sees all at its end', async () => {
    const tasks = Array.from({ length: 500 }, (_, i) => `task-${i}`);
    for (const taskId of tasks) await finish(rolloutResult('r', taskId, 0));
    const { store: counting, reads } = countingStore(store);
    const follow = new RunTracker(counting, runRecord('r'), planOf(tasks, 2), () => now);
    expect(await follow.poll()).toHaveLength(500);
    for (const taskId of tasks) await finish(rolloutResult('r', taskId, 1));
    reads.forget();
    const first = await follow.poll();
    expect(first.length).toBeGreaterThan(0);
    expect(reads.lists.length).toBeLessThan(300);
    // Every task has begun: which have is not asked for any more.
    expect(reads.lists).not.toContain(keys.rollouts('r'));
    const second = await follow.poll();
    const seen = [...first, ...second].map(({ rolloutId }) => rolloutId);
    expect(new Set(seen).size).toBe(first.length + second.length);
    expect([...seen, ...(await follow.poll(true))]).toHaveLength(500);
    expect(follow.view('finished')).toMatchObject({ done: 1000, total: 1000 });
  });

  it('takes turns in looking at what many rollouts in flight are doing', async () => {
    const follow = tracker(planOf(['a'], 60));
    for (let sample = 0; sample < 60; sample++) {
      await placed('a', sample);
      await turn('a', sample, 0);
    }
    const { store: counting, reads } = countingStore(store);
    Object.assign(follow, { store: counting });
    await follow.poll();
    const looked = reads.lists.filter((prefix) => prefix.endsWith('/attempts')).length;
    expect(looked).toBeLessThan(60);
    for (let poll = 0; poll < 4; poll++) await follow.poll();
    expect(follow.view('running')).toMatchObject({ turns: 60, counts: { agent: 60 } });
  });

  it('estimates pace and time left from what it has seen', async () => {
    const follow = tracker(planOf(['a', 'b', 'c', 'd', 'e', 'f'], 1));
    await follow.poll();
    for (const [index, taskId] of ['a', 'b', 'c'].entries()) {
      now = (index + 1) * 10_000;
      await finish(rolloutResult('r', taskId, 0));
      await follow.poll();
    }
    const view = follow.view('running');
    expect(view.msLeft).toBe(30_000);
    expect(view.turnsPerSecond).toBeCloseTo(0.3);
    expect(follow.view('paused')).toMatchObject({ msLeft: null, turnsPerSecond: null });
  });

  async function placed(taskId: string, sample: number): Promise<void> {
    await writeRecord(store, placementSchema, keys.placement({ ...key(taskId, sample), attempt: 1 }), {
      schemaVersion: 1,
      hostId: 'h',
      sandbox: { driver: 'memory', id: 's' },
      image: 'i',
      createdAt: 1,
      provisionMs: 1,
    });
  }

  async function turn(taskId: string, sample: number, index: number): Promise<void> {
    await writeRecord(store, callRecordSchema, keys.call({ ...key(taskId, sample), attempt: 1 }, 0, index), {
      schemaVersion: 1,
      callId: `c${index}`,
      model: 'm',
      requestId: null,
      finishReason: 'stop',
      message: { content: '', reasoning: null, toolCalls: [] },
      usage: { promptTokens: 10, cachedTokens: 0, completionTokens: 5 },
      costUsd: 0.25,
      latencyMs: 1,
      startedAt: 1,
      promptTokenIds: null,
      completionTokenIds: null,
      logprobs: null,
      sentView: null,
    });
  }
});
