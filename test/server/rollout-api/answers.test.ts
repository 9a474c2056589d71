import { describe, expect, it } from 'vitest';
import { writeSummary } from '../../../src/records/write-summary.js';
import { closeGroup } from '../../../src/rollout/books/group-book.js';
import { rolloutAnswerSchema } from '../../../src/server/rollout-api/answers.schema.js';
import { fromWire } from '../../../src/store/wire/wire.js';
import { madeTurns } from '../../sinks/support/made-turns.js';
import { sealRollout } from '../../sinks/support/sealed-rollout.js';
import { countingStore } from '../../support/counting-store.js';
import { modelOf, response, rolloutDeps } from '../../support/rollout-deps.js';
import { type ApiHost, listener, servingStore, threeTasks } from './rollout-api-host.js';

/** Ends members of a group that was asked for as workers leave them: one for each reward. */
async function endMembers({ store }: ApiHost, id: string, rewards: (number | null)[]): Promise<void> {
  for (const [sample, reward] of rewards.entries())
    await sealRollout(
      store,
      { runId: `serving.${id}`, taskId: 'one', sample },
      { reward, turns: madeTurns(sample, { policyVersion: '7' }) },
    );
}

async function close({ store }: ApiHost, id: string, status: 'finished' | 'cancelled'): Promise<void> {
  const runId = `serving.${id}`;
  const deps = rolloutDeps({ store, model: modelOf(() => response({})) });
  if (status === 'finished') await closeGroup(deps, { runId, taskId: 'one', index: 0, whole: true });
  await writeSummary(store, runId, status);
}

describe('a group that has ended', () => {
  it('has a member without a score where ours failed: no zero, no advantage, not done', async () => {
    const api = await listener(
      await servingStore(await threeTasks(), { groupPolicy: 'min-valid', minValid: 2 }),
    );
    await api.post('/v1/rollouts', { id: 'a', item: 'one' });
    await endMembers(api, 'a', [1, 0, null, 0]);
    expect((await api.get('/v1/rollouts/a')).body).toMatchObject({
      status: 'running',
      ended: 4,
      members: [],
    });
    await close(api, 'a', 'finished');
    const { body } = await api.get('/v1/rollouts/a');
    expect(body).toMatchObject({ status: 'done', group: { valid: true, zero_variance: false } });
    expect(body.group.mean).toBeCloseTo(1 / 3);
    const [first, , failed] = body.members;
    expect(first).toMatchObject({ reward: 1, done: true, policy_version: '7' });
    expect(first.advantage).toBeGreaterThan(0);
    expect(failed).toMatchObject({ reward: null, done: false, advantage: null, advantages: null });
    expect(failed.metadata.failure.code).toEqual(expect.any(String));
    expect(failed.metadata.passed).toBeNull();
    expect(() => fromWire(rolloutAnswerSchema, body)).not.toThrow();
  });

  it('is told of while it goes on without reading what its members came to', async () => {
    const { store, reads } = countingStore(await servingStore(await threeTasks()));
    const api = await listener(store);
    await api.post('/v1/rollouts', { id: 'a', item: 'one' });
    await endMembers(api, 'a', [1, 0, 1]);
    const results = () => reads.gets.filter((key) => key.endsWith('/result.json')).length;
    reads.forget();
    for (let poll = 0; poll < 3; poll++)
      expect((await api.get('/v1/rollouts/a')).body).toMatchObject({ status: 'running', ended: 3 });
    expect(results()).toBe(0);
    await endMembers(api, 'a', [1, 0, 1, 0]);
    await closeGroup(rolloutDeps({ store, model: modelOf(() => response({})) }), {
      runId: 'serving.a',
      taskId: 'one',
      index: 0,
      whole: true,
    });
    reads.forget();
    expect((await api.get('/v1/rollouts/a')).body).toMatchObject({ status: 'running', ended: 4 });
    // The record of a group says that its members have ended.
    expect([results(), reads.looks.filter((key) => key.endsWith('/result.json'))]).toEqual([0, []]);
  });

  it('is answered at once, however long one would wait, and as it is to everybody who asks', async () => {
    const api = await listener(await servingStore(await threeTasks()));
    await api.post('/v1/rollouts', { id: 'a', item: 'one', group_size: 2 });
    await endMembers(api, 'a', [1, 0]);
    await close(api, 'a', 'finished');
    const read = await api.get('/v1/rollouts/a?wait=600');
    const posted = await api.post('/v1/rollouts', { id: 'a', item: 'one', group_size: 2, wait: 600 });
    const deleted = await api.delete('/v1/rollouts/a');
    expect([read.status, posted.status, deleted.status]).toEqual([200, 200, 200]);
    expect(posted.body).toEqual(read.body);
    expect(deleted.body).toEqual(read.body);
    expect(api.cluster.cancelled).toEqual([]);
  });

  it('that was cancelled has those members that had ended', async () => {
    const api = await listener(await servingStore(await threeTasks()));
    await api.post('/v1/rollouts', { id: 'a', item: 'one' });
    await endMembers(api, 'a', [1, 0]);
    await close(api, 'a', 'cancelled');
    const { body } = await api.get('/v1/rollouts/a');
    expect(body).toMatchObject({ status: 'cancelled', ended: 2, group: null });
    expect(body.members.map(({ reward }: { reward: number }) => reward)).toEqual([1, 0]);
  });

  it('wakes up whoever waits for it', async () => {
    const api = await listener(await servingStore(await threeTasks()));
    await api.post('/v1/rollouts', { id: 'a', item: 'one', group_size: 2 });
    const waiting = api.get('/v1/rollouts/a?wait=600');
    await endMembers(api, 'a', [1, 1]);
    await close(api, 'a', 'finished');
    expect((await waiting).body).toMatchObject({ status: 'done', group: { zero_variance: true } });
  });

  it('does not hold up a listener that stops', async () => {
    const api = await listener(await servingStore(await threeTasks()));
    await api.post('/v1/rollouts', { id: 'a', item: 'one' });
    const waiting = api.get('/v1/rollouts/a?wait=600').catch(() => null);
    await api.get('/v1/environments');
    await api.stop();
    const answer = await waiting;
    expect(answer === null || answer.body.status === 'running').toBe(true);
  });
});
