import { expect, test } from 'vitest';
import { groupId } from '../../../src/core/ids.js';
import { pythonJson } from '../../../src/formats/python-json.js';
import { policyDatum } from '../../../src/formats/tinker/datum.js';
import { tinkerSink } from '../../../src/sinks/tinker/index.js';
import { batchesOf, deliver, filesOf, linesOf, manifestOf, start, tinkerRun, until } from './tinker-run.js';

test('groups become batches in the order in which they closed, the rest a smaller one at the end', async () => {
  const run = await tinkerRun();
  const keys = [];
  for (const number of [1, 0, 3, 2, 4]) keys.push(await run.serve.closeNumber(number));
  await run.serve.end();
  const executor = await deliver(run);
  const ids = keys.map(groupId);
  expect(batchesOf(run)).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
  expect(Object.keys(filesOf(run)).sort()).toEqual([
    'batch_000001.jsonl',
    'batch_000001.meta.jsonl',
    'batch_000002.jsonl',
    'batch_000002.meta.jsonl',
    'batch_000003.jsonl',
    'batch_000003.meta.jsonl',
    'index.jsonl',
    'manifest.json',
  ]);
  expect(manifestOf(run)).toMatchObject({
    run_id: 'run',
    group_size: 2,
    batch_groups: 2,
    batches: 3,
    complete: true,
  });
  expect(executor.settled).toEqual({ delivered: 5, parked: 0, skipped: 0 });
  expect(executor.limit).toBe(Number.MAX_SAFE_INTEGER);
});

test('a datum has what was sampled, shifted by one, and the line beside it says whose it is', async () => {
  const run = await tinkerRun({}, { config: { estimator: 'dr-grpo' } });
  await run.serve.policies.tell({ version: 'v1', source: 'api' });
  await run.serve.closeMany(2, { policyVersion: 'v1' });
  await run.serve.end();
  await deliver(run);
  const text = filesOf(run)['batch_000001.jsonl'] ?? '';
  const [first = ''] = text.split('\n');
  const prompt = [1000, 1001, 1002];
  const sampled = [1010, 1011, 1012, 1013, 1014];
  const next = [...[1100, 1101, 1102], ...[1110, 1111, 1112, 1113, 1114]];
  const ids = [...prompt, ...sampled, ...next];
  const span = { turn: 0, sequenceId: null, policyVersion: 'v1', masked: false };
  const logprobs = (turn: number) => [1, 2, 3, 4, 5].map((n) => -(n + turn * 10) / 64);
  const spans = [
    { ...span, start: 3, length: 5, logprobs: logprobs(0) },
    { ...span, turn: 1, start: 11, length: 5, logprobs: logprobs(1) },
  ];
  expect(first).toBe(pythonJson(policyDatum({ ids, spans }, [0.5, 0.5])));
  const [meta] = linesOf(run, 'batch_000001.meta.jsonl');
  expect(meta).toMatchObject({
    batch: 1,
    group_id: 'run/t0/0',
    rollout_id: 'run/t0/0',
    attempt: 1,
    sequence: 0,
    sequences: 1,
    reward: 1,
    mean: 0.5,
    estimator: 'dr-grpo',
    policy_versions: ['v1'],
    lag: 0,
    spans: [
      { turn: 0, start: 3, length: 5, policy_version: 'v1', advantage: 0.5, masked: false },
      { turn: 1, start: 11, length: 5, policy_version: 'v1', advantage: 0.5, masked: false },
    ],
  });
  expect(text.split('\n')).toHaveLength(4 + 1);
  expect(linesOf(run, 'index.jsonl')).toMatchObject([
    {
      batch: 1,
      datums: 4,
      tokens: 64,
      trained_tokens: 40,
      policy_versions: ['v1'],
      max_lag: 0,
      left_out: [],
    },
  ]);
});

test('groups that nothing can be learned from are in no batch, each with its reason', async () => {
  const run = await tinkerRun({ maxTokenLength: 20 });
  await run.serve.close({ rewards: [1, 1] });
  await run.serve.close({ rewards: [1, null] });
  await run.serve.close({ ids: false });
  await run.serve.close({ turns: 3 });
  await run.serve.closeMany(2);
  await run.serve.end();
  const executor = await deliver(run);
  expect(linesOf(run, 'skipped.jsonl')).toMatchObject([
    { group_id: 'run/t0/0', rule: 'zero_variance', reason: 'all its scored rollouts have the reward 1' },
    { group_id: 'run/t1/0', rule: 'invalid' },
    { group_id: 'run/t0/1', rule: 'no_sampled_ids', reason: expect.stringContaining('run/t0/2') },
    { group_id: 'run/t1/1', rule: 'too_long', reason: expect.stringContaining('more than 20') },
  ]);
  expect(batchesOf(run)).toEqual([['run/t0/2', 'run/t1/2']]);
  expect(executor.settled).toEqual({ delivered: 2, parked: 0, skipped: 4 });
});

test('a rollout that cannot be trained stays in the baseline of its group, and is named', async () => {
  const run = await tinkerRun({ batchGroups: 1 }, { groupSize: 3, config: { estimator: 'dr-grpo' } });
  await run.serve.close({ rewards: [1, 0, 0], member: (member) => ({ ids: member !== 1 }) });
  await run.serve.end();
  await deliver(run);
  const metas = linesOf<{ spans: { advantage: number }[] }>(run, 'batch_000001.meta.jsonl');
  const [won = 0, lost = 0] = metas.map(({ spans }) => spans[0]?.advantage);
  expect(metas).toHaveLength(2);
  expect(won).toBeCloseTo(2 / 3, 12);
  expect(lost).toBeCloseTo(-1 / 3, 12);
  expect(linesOf(run, 'index.jsonl')).toMatchObject([
    { left_out: [{ rollout_id: 'run/t0/1', rule: 'no_sampled_ids' }] },
  ]);
});

test('with --keep-zero-variance groups of equal rewards are in batches, too', async () => {
  const run = await tinkerRun({ keepZeroVariance: true });
  await run.serve.closeMany(2, { rewards: [1, 1] });
  await run.serve.end();
  await deliver(run);
  expect(batchesOf(run)).toEqual([['run/t0/0', 'run/t1/0']]);
});

test('estimators that need a batch have the batch that the trainer gets', async () => {
  const run = await tinkerRun({}, { config: { estimator: 'reinforce++-baseline' } });
  await run.serve.close({ rewards: [1, 0] });
  await run.serve.close({ rewards: [5, 0] });
  await run.serve.close({ rewards: [3, 0] });
  await run.serve.end();
  await deliver(run);
  const metas = linesOf<{ spans: { advantage: number }[] }>(run, 'batch_000001.meta.jsonl');
  const advantages = metas.map(({ spans }) => spans[0]?.advantage ?? 0);
  // R − mean of the group (0.5, −0.5, 2.5, −2.5), then whitened over all tokens of the batch.
  expect(advantages[2]).toBeCloseTo(5 * (advantages[0] ?? 0), 5);
  expect(advantages.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 9);
  expect(linesOf(run, 'skipped.jsonl')).toMatchObject([{ group_id: 'run/t0/1', rule: 'no_advantages' }]);
});

test('rollouts of an old policy are masked and stay in the baseline; a group of nothing else is skipped', async () => {
  const run = await tinkerRun({ batchGroups: 1, maxLag: 0 }, { config: { estimator: 'dr-grpo' } });
  for (const version of ['v1', 'v2']) await run.serve.policies.tell({ version, source: 'api' });
  await run.serve.close({ policyVersion: 'v1' });
  await run.serve.close({ member: (member) => ({ policyVersion: member === 0 ? 'v1' : 'v2' }) });
  await run.serve.end();
  await deliver(run);
  expect(linesOf(run, 'skipped.jsonl')).toMatchObject([{ group_id: 'run/t0/0', rule: 'stale' }]);
  const metas = linesOf<{ lag: number; spans: { advantage: number; masked: boolean }[] }>(
    run,
    'batch_000001.meta.jsonl',
  );
  expect(metas.map(({ lag, spans }) => [lag, spans[0]?.masked, spans[0]?.advantage])).toEqual([
    [1, true, 0],
    [0, false, -0.5],
  ]);
  const [stale] = linesOf<{ loss_fn_inputs: { advantages: { data: number[] } } }>(run, 'batch_000001.jsonl');
  expect(new Set(stale?.loss_fn_inputs.advantages.data)).toEqual(new Set([0]));
  expect(linesOf(run, 'index.jsonl')).toMatchObject([{ trained_tokens: 10, max_lag: 1 }]);
});

test('a batch is there as soon as it is full', async () => {
  const run = await tinkerRun();
  const working = await start(run);
  await run.serve.closeMany(3);
  await until(() => manifestOf(run).batches === 1);
  expect(manifestOf(run).complete).toBe(false);
  expect(batchesOf(run)).toEqual([['run/t0/0', 'run/t1/0']]);
  await working.stop();
});

test('a cancelled run leaves what had closed, and says that it was the last', async () => {
  const run = await tinkerRun();
  const working = await start(run);
  await run.serve.closeMany(3);
  await until(() => batchesOf(run).length === 1);
  await working.stop();
  const { context } = await run.serve.executor('tinker');
  await tinkerSink(run.serve.run).close(context);
  expect(batchesOf(run)).toEqual([['run/t0/0', 'run/t1/0'], ['run/t0/1']]);
  expect(manifestOf(run)).toMatchObject({ batches: 2, complete: true });
});
