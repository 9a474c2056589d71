import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Policy, PolicyServer } from '../../src/model/policy-server/index.js';
import { readClosedRun } from '../../src/records/write-summary.js';
import { readListenAddress } from '../../src/sinks/listen/index.js';
import { clientOf, SERVE, SERVING } from '../server/rollout-api/rollout-api-host.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { startPolicyServer } from '../support/policy-server.js';
import { until } from '../support/until.js';

const SIZE = 4;
const SEED = 100;
const CALLS_PER_ROLLOUT = 2;

/** From here on nothing is answered before it is given up. */
const SLOW_SEED = 1_000;

/** Even seeds are right. Slow enough to be met in the middle. */
const half: Policy = ({ seed, turn }) => ({
  delayMs: seed < SLOW_SEED ? 400 : 60_000,
  ...(turn > 0
    ? { toolCalls: [{ name: 'finish', arguments: { summary: 'Done.' } }] }
    : {
        content: `I write what ${seed} says.`,
        toolCalls: [
          { name: 'terminal', arguments: { command: `echo ${seed % 2 === 0 ? 42 : 41} > /app/answer` } },
        ],
      }),
});

let host: LongrunHost;
let policy: PolicyServer;
let api: Awaited<ReturnType<typeof listener>>;

/** The API of the run that serves, once the newest worker has it. */
async function listener() {
  let url: string | null = null;
  await until(
    async () => {
      url = await readListenAddress(host.store, SERVING);
      const answer = url === null ? null : await fetch(`${url}/v1/environments`).catch(() => null);
      return answer?.ok ?? false;
    },
    { what: 'the run listens' },
  );
  return clientOf(String(url));
}

beforeAll(async () => {
  host = await LongrunHost.start();
  policy = await startPolicyServer({ policy: half, policyVersion: '1' });
  const { hostId } = await host.startWorker();
  const tasks = ['one', 'two'].map((taskId) => inlineTask({ taskId, test: answerTest('42') }));
  await host.plan(SERVING, await Promise.all(tasks), {
    ...{ agent: 'tool-calling', model: 'demo', baseUrl: policy.baseUrl, tokenApi: 'chat' },
    ...{ groupSize: SIZE, seed: 1, sandbox: 'docker', serve: { ...SERVE, hostId, maxQueue: 0 } },
  });
  await host.runs.start(SERVING);
  api = await listener();
});
afterAll(async () => {
  await host.stop();
  await policy.close();
});

// biome-ignore lint/suspicious/noExplicitAny: documents as they came over the wire.
type Document = any;

describe('a trainer that pulls', () => {
  let item: Document;
  let group: Document;

  it('1. asks the environment for the next items', async () => {
    const { body } = await api.post('/v1/items', { n: 2 });
    expect(body.items).toMatchObject([{ item: 'one' }, { item: 'two' }]);
    [item] = body.items;
  });

  it('2. gets each as the prompt and runs its rollouts, through a restart in the middle of them', async () => {
    expect(item).toMatchObject({ prompt: 'Do one.', messages: [{ role: 'system' }, { role: 'user' }] });
    const asked = { id: 'step-1', item: item.item, seed: SEED, policy: { version: '1' } };
    const begun = await api.post('/v1/rollouts', asked);
    expect(begun).toMatchObject({ status: 202, body: { id: 'step-1', status: 'running', members: [] } });
    await until(() => policy.ledger.stats().requests >= 1);
    await host.worker?.shutdown();
    expect(policy.ledger.stats().answered).toBeLessThan(SIZE * CALLS_PER_ROLLOUT);

    await host.startWorker();
    api = await listener();
    const { status, body } = await api.get('/v1/rollouts/step-1?wait=60');
    expect([status, body.status]).toEqual([200, 'done']);
    group = body;
    // Whoever was cut off and asks again gets the same group.
    expect((await api.post('/v1/rollouts', { ...asked, wait: 60 })).body).toEqual(group);
    expect(policy.ledger.stats().answered).toBe(SIZE * CALLS_PER_ROLLOUT);
  });

  it('3. has rewards and metadata computed by the tests of the task', () => {
    expect(group.members.map(({ reward }: Document) => reward)).toEqual([1, 0, 1, 0]);
    for (const { metadata, reward } of group.members)
      expect(metadata).toMatchObject({
        environment: 'test',
        item: 'one',
        category: 'tests',
        status: 'success',
        passed: reward === 1,
        rewards: { reward },
        failure: null,
        attempts: 1,
      });
  });

  it('4. is answered with trajectory, reward, done and metadata, and with the tokens as they were sampled', () => {
    for (const member of group.members) {
      expect(member).toMatchObject({ done: true, stop_reason: 'natural' });
      const [first, last] = member.trajectory.timesteps;
      expect(first.chats[0].messages.map(({ role }: Document) => role)).toEqual([
        'system',
        'user',
        'assistant',
        'tool',
      ]);
      expect(last).toMatchObject({ done: true, reward: member.reward, advantage: member.advantage });
      const sampled = policy.ledger.entries.filter(({ seed }) => seed === SEED + member.sample);
      expect(member.turns).toHaveLength(CALLS_PER_ROLLOUT);
      for (const [i, turn] of member.turns.entries()) {
        expect(turn.completion_token_ids).toEqual(sampled[i]?.tokenIds);
        expect(turn.prompt_token_ids).toEqual(sampled[i]?.promptTokenIds);
        expect(turn.logprobs).toHaveLength(turn.completion_token_ids.length);
      }
    }
  });

  it('5. gets rollouts of one task as a group, with their advantages', () => {
    expect(group.group).toMatchObject({
      group_id: 'serving.step-1/one/0',
      estimator: 'grpo',
      valid: true,
      mean: 0.5,
      std: 0.5,
      zero_variance: false,
      policy_versions: ['1'],
    });
    expect(group.members.map(({ advantage }: Document) => advantage)).toEqual([1, -1, 1, -1]);
    expect(group.members[0].advantages).toEqual([1, 1]);
  });

  it('6. updates the policy: what is sampled from then on is stamped with its version', async () => {
    await fetch(new URL('/policy', policy.baseUrl), {
      method: 'POST',
      body: JSON.stringify({ version: 'as the endpoint calls it' }),
    });
    expect((await api.post('/v1/policy', { version: '2' })).body).toMatchObject({ version: '2' });
    const { body } = await api.post('/v1/rollouts', { item: 'two', seed: SEED, group_size: 2, wait: 60 });
    expect(body).toMatchObject({
      status: 'done',
      policy: { version: '2' },
      group: { policy_versions: ['2'] },
    });
    for (const { policy_version, turns } of body.members) {
      expect(policy_version).toBe('2');
      expect(turns.map((turn: Document) => turn.policy_version)).toEqual(['2', '2']);
    }
  });

  it('cancels a group: calls in the air are given up, and nothing more is sampled', async () => {
    const before = policy.ledger.stats();
    await api.post('/v1/rollouts', { id: 'too-late', item: 'two', seed: SLOW_SEED });
    await until(() => policy.ledger.stats().requests > before.requests);
    const cancelled = await api.delete('/v1/rollouts/too-late?wait=60');
    expect(cancelled).toMatchObject({ status: 200, body: { status: 'cancelled' } });
    const { requests } = policy.ledger.stats();
    expect((await api.delete('/v1/rollouts/too-late')).body).toEqual(cancelled.body);
    expect(requests - before.requests).toBeLessThanOrEqual(SIZE);
    expect(policy.ledger.stats()).toMatchObject({ requests, answered: before.answered, in_flight: 0 });
  });

  it('is cancelled as a whole: the groups that are still open go with the run that serves', async () => {
    const { requests } = policy.ledger.stats();
    await api.post('/v1/rollouts', { id: 'left-open', item: 'one', seed: SLOW_SEED });
    await until(() => policy.ledger.stats().requests > requests);
    await host.runs.cancel(SERVING);
    const closed = async (runId: string) => (await readClosedRun(host.store, runId))?.status ?? null;
    await until(async () => (await closed(`${SERVING}.left-open`)) !== null, { what: 'the group is closed' });
    expect(await closed(`${SERVING}.left-open`)).toBe('cancelled');
    await until(async () => (await closed(SERVING)) === 'cancelled');
  });
});
