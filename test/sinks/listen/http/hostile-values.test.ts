import { describe, expect, it, vi } from 'vitest';
import { Listener } from '../../../../src/sinks/listen/index.js';
import { checkpointSchema } from '../../../../src/sinks/listen/listener.schema.js';
import { emptyState } from '../../../../src/sinks/listen/listener-state.js';
import { putRecordIfAbsent } from '../../../../src/store/records/records.js';
import { tempStore } from '../../../store/temp-store.js';
import { threat } from '../../../support/threat.js';
import { posted, registration } from '../support/listening.js';
import { bothApis } from './both-apis.js';

vi.setConfig({ testTimeout: 60_000 });

const ENV = { max_token_length: 512, desired_name: 'e', weight: 1, group_size: 4 };
const HUGE = 2 ** 53;
const LONG = 'x'.repeat(20_000);

type Row = [path: string, body: Record<string, unknown>, field: string];

const numbers = (path: string, good: Record<string, unknown>, fields: readonly string[]): Row[] =>
  fields.flatMap((field) =>
    [HUGE, -HUGE, '1e308', 2 ** 31, '9'.repeat(60)].map(
      (value): Row => [path, { ...good, [field]: value }, field],
    ),
  );
const texts = (path: string, good: Record<string, unknown>, fields: readonly string[]): Row[] =>
  fields.map((field) => [path, { ...good, [field]: LONG }, field]);

const TRAINER: Row[] = [
  ...numbers('/register', registration(8), [
    ...['batch_size', 'max_token_len', 'save_checkpoint_interval', 'starting_step', 'num_steps'],
  ]),
  ...texts('/register', registration(8), ['wandb_group', 'wandb_project', 'checkpoint_dir']),
  ['/register', registration(0), 'batch_size'],
  ['/register', registration(100_000), 'batch_size'],
  ...numbers('/register-env', ENV, ['max_token_length', 'weight', 'group_size', 'min_batch_allocation']),
  ...texts('/register-env', ENV, ['desired_name']),
  ['/register-env', { ...ENV, group_size: 0 }, 'group_size'],
  ...numbers('/disconnect-env', {}, ['env_id']),
  ...texts('/v1/policy', { version: '1' }, ['version', 'model']),
  ['/v1/policy', { version: '1', base_url: `http://127.0.0.1/${LONG}` }, 'base_url'],
  ['/scored_data', { ...posted(4, 1), env_id: HUGE }, 'env_id'],
  ['/scored_data', { ...posted(4, 1), tokens: [[HUGE]] }, 'tokens'],
  ['/scored_data', { ...posted(4, 1), tokens: [['9'.repeat(1_000_000)]] }, 'tokens'],
  ['/scored_data', { ...posted(4, 1), tokens: [[`${'x'.repeat(1_000_000)}`]] }, 'tokens'],
  ['/scored_data', { ...posted(4, 1), group_overrides: { group_id: LONG } }, 'group_id'],
  ['/scored_data', { ...posted(4, 1), group_overrides: { item: LONG } }, 'item'],
];

const ROLLOUTS: Row[] = [
  ['/v1/items', { cursor: HUGE - 1, n: 3 }, 'cursor'],
  ['/v1/items', { cursor: -1 }, 'cursor'],
  ...numbers('/v1/items', {}, ['n']),
  ...texts('/v1/items', {}, ['environment', 'consumer']),
  ...numbers('/v1/rollouts', {}, ['group_size', 'seed', 'wait']),
  ...texts('/v1/rollouts', {}, ['id', 'environment', 'item', 'consumer']),
  ['/v1/rollouts', { policy: { base_url: `http://127.0.0.1/${LONG}` } }, 'policy.base_url'],
  ['/v1/rollouts', { policy: { version: LONG } }, 'policy.version'],
  ['/v1/rollouts', { policy: { model: LONG } }, 'policy.model'],
];

describe(threat('a client of the HTTP API', 'the process that answers everybody'), () => {
  it('numbers and texts of the trainer API that are beyond their bounds are refused by name', async () => {
    const apis = await bothApis();
    for (const [path, body, field] of TRAINER) {
      const answer = await apis.send(path, body);
      const text = await answer.text();
      expect([path, field, answer.status, text.length < 5_000], text.slice(0, 500)).toEqual([
        ...[path, field, 422, true],
      ]);
      expect(text).toContain(field);
    }
    expect(await apis.get('/status')).toEqual({ current_step: 0, queue_size: 0 });
  });

  it('those of the rollout API are refused by name', async () => {
    const apis = await bothApis();
    for (const [path, body, field] of ROLLOUTS) {
      const answer = await apis.send(path, body);
      const { error } = (await answer.json()) as { error: { path: string; message: string } };
      expect([path, answer.status, error.path], error.message).toEqual([path, 400, field]);
    }
  });

  it('a field with a name of 60,000 characters is refused, and the name is cut short', async () => {
    const apis = await bothApis();
    const answer = await apis.send('/v1/rollouts', { ['y'.repeat(60_000)]: 1 });
    expect([answer.status, (await answer.text()).length < 1_000]).toEqual([400, true]);
  });

  it('a key of an idempotent request has at most 255 characters', async () => {
    const apis = await bothApis();
    const asked = (length: number) =>
      apis.request('/v1/rollouts', {
        method: 'POST',
        headers: { 'idempotency-key': 'k'.repeat(length) },
        body: '{"policy":{"model":"test-model"}}',
      });
    expect((await asked(255)).status).toBe(202);
    const refused = await asked(256);
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('Idempotency-Key')]);
  });

  it('items are answered from any place that a cursor may name', async () => {
    const apis = await bothApis();
    const answer = await apis.post<{ items: unknown[]; next_cursor: number }>('/v1/items', {
      cursor: 2 ** 50,
      n: 3,
    });
    expect([answer.items.length, answer.next_cursor]).toEqual([3, 2 ** 50 + 3]);
  });

  it('groups that never add up to one of their environment are refused once enough of them wait', async () => {
    const apis = await bothApis({ groupSize: 5 });
    await apis.register(10);
    await apis.batch(0);
    await apis.post('/register-env', { ...ENV, group_size: 5 });
    const pair = (first: number) => ({ ...posted(2, first), env_id: 0 });
    for (const from of [1, 1_001])
      await apis.send(
        '/scored_data_list',
        Array.from({ length: 512 }, (_, i) => pair(from + i)),
      );
    const refused = await apis.send('/scored_data', pair(9_000));
    expect([refused.status, await refused.text()]).toEqual([
      503,
      expect.stringContaining('1024 items of environment 0 wait'),
    ]);
  });

  it('environments that register without end are refused in the end', async () => {
    const env = { maxTokenLength: 1, desiredName: 'e', weight: 1, groupSize: 4, minBatchAllocation: null };
    const store = await tempStore();
    const envs = Array.from({ length: 4_095 }, () => ({ ...env, connected: false }));
    const state = { ...emptyState(), started: true, envs };
    const key = 'l/checkpoints/00000500.json';
    await putRecordIfAbsent(store, checkpointSchema, key, { schemaVersion: 1, events: 500, state });
    const listener = await Listener.open({
      ...{ store, prefix: 'l', maxQueue: 100, now: () => 1, checkFence: async () => {}, onChange: () => {} },
      atHandOut: async (_item, stored) => stored,
    });
    expect(await listener.registerEnv(env)).toMatchObject({ envId: 4_095 });
    await expect(listener.registerEnv(env)).rejects.toThrow('4096 environments');
  });
});
