import { join } from 'node:path';
import { expect, it } from 'vitest';
import { rowFormat } from '../../../src/trajectories/row-formats.js';
import { tempStore } from '../../store/temp-store.js';
import { temporaryFolder } from '../../support/state.js';
import { close, endedRun, outputOf, written } from './finished-run.js';
import { contentOf, rowsOf } from './folder.js';

const sharegpt = [rowFormat('sharegpt')];

it('grows group by group, in the order in which groups close', async () => {
  const [store, folder] = [await tempStore(), await temporaryFolder()];
  await endedRun(store, 3);
  const output = await outputOf(store, folder, { formats: sharegpt });
  await close(store, 2);
  await output.settle(false);
  expect(rowsOf(folder, 'groups.jsonl').map((row) => row.group_id)).toEqual(['run/one/2']);
  expect(rowsOf(folder, 'sharegpt.jsonl')).toHaveLength(2);
  await close(store, 0, 1);
  await output.settle(true);
  expect(rowsOf(folder, 'groups.jsonl').map((row) => row.group_id)).toEqual([
    'run/one/2',
    'run/one/0',
    'run/one/1',
  ]);
  expect(output.counts).toEqual({ groups: 3, planned: 3 });
});

it('flags groups of zero variance and keeps them from trainers only', async () => {
  const [store, folder] = [await tempStore(), await temporaryFolder()];
  await endedRun(store, 2, { right: (sample) => sample !== 1 });
  await close(store, 0, 1);
  await written(store, folder, { formats: ['sharegpt', 'tinker'].map((name) => rowFormat(name)) });
  expect(rowsOf(folder, 'groups.jsonl').map((row) => row.zero_variance)).toEqual([false, true]);
  expect(rowsOf(folder, 'sharegpt.jsonl')).toHaveLength(4);
  const rejected = rowsOf(folder, 'rejected.jsonl');
  expect(
    rejected.map(({ group_id, rollout_id, format, rule }) => [group_id, rollout_id, format, rule]),
  ).toEqual([
    // The endpoint of this run returns no token ids.
    ['run/one/0', 'run/one/0', 'tinker', 'no_sampled_ids'],
    ['run/one/0', 'run/one/1', 'tinker', 'no_sampled_ids'],
    ['run/one/1', null, 'tinker', 'zero_variance'],
  ]);
});

it('leaves out, by name, what has no reasoning, calls unknown tools or fails a filter', async () => {
  const [store, folder] = [await tempStore(), await temporaryFolder()];
  await endedRun(store, 2, { wild: (sample) => sample === 2 });
  await close(store, 0, 1);
  const reasons = async (name: string, options: Parameters<typeof written>[2]) => {
    await written(store, join(folder, name), { formats: sharegpt, ...options });
    return rowsOf(join(folder, name), 'rejected.jsonl').map(({ rollout_id, rule }) => [rollout_id, rule]);
  };
  expect(await reasons('default', { keepNoReasoning: false })).toEqual([
    ['run/one/1', 'reasoning'],
    ['run/one/2', 'tool_names'],
    ['run/one/3', 'reasoning'],
  ]);
  expect(await reasons('kept', {})).toEqual([['run/one/2', 'tool_names']]);
  expect(await reasons('filtered', { filters: ['min-reward=0.5'] })).toEqual([
    ['run/one/1', 'reward'],
    ['run/one/2', 'reward'],
    ['run/one/3', 'reward'],
  ]);
  expect(await reasons('whole', { formats: [rowFormat('longrun')] })).toEqual([]);
});

it('computes its statistics from what is written', async () => {
  const [store, folder] = [await tempStore(), await temporaryFolder()];
  await endedRun(store, 2, { wild: (sample) => sample === 2 });
  await close(store, 0, 1);
  await written(store, folder, { formats: sharegpt, keepNoReasoning: false });
  const statistics = JSON.parse(contentOf(folder)['statistics.json'] ?? '');
  expect(statistics).toMatchObject({
    run_name: 'run',
    total_prompts: 4,
    tool_statistics: {
      terminal: { count: 3, success: 3, failure: 0, success_rate: 100, failure_rate: 0 },
      grep: { count: 1, success: 0, failure: 1, success_rate: 0, failure_rate: 100 },
    },
    reasoning_statistics: {
      total_assistant_turns: 8,
      turns_with_reasoning: 4,
      turns_without_reasoning: 4,
    },
    discarded_no_reasoning: 2,
    groups: { planned: 2, written: 2, valid: 2, invalid: 0, zero_variance: 1 },
    rejected: { sharegpt: { reasoning: 2, tool_names: 1 } },
    rows: { 'groups.jsonl': 2, 'rejected.jsonl': 3, 'sharegpt.jsonl': 1 },
    rollouts: { rows: 4, completed: 4 },
  });
});

it('says in its manifest what was run, on which tasks, and by which code', async () => {
  const [store, folder] = [await tempStore(), await temporaryFolder()];
  await endedRun(store, 1);
  await close(store, 0);
  await written(store, folder);
  expect(JSON.parse(contentOf(folder)['manifest.json'] ?? '')).toMatchObject({
    run_id: 'run',
    code: { longrun_version: '0.0.0', git_commit: null },
    config: { group_size: 2, estimator: 'grpo' },
    output: { keep_no_reasoning: true },
    seeds: { base: 1, of_a_rollout: 'base + sample' },
    tasks: [{ task_id: 'one', groups: 1, digest: '0', image: { kind: 'image' } }],
  });
});

it('gives estimators that need several groups a batch, and names what is left over', async () => {
  const [store, folder] = [await tempStore(), await temporaryFolder()];
  await endedRun(store, 3, {}, { estimator: 'reinforce++' });
  await close(store, 0);
  const output = await outputOf(store, folder, { formats: [rowFormat('longrun'), rowFormat('tinker')] });
  await output.settle(false);
  expect(rowsOf(folder, 'groups.jsonl')).toEqual([]);
  await close(store, 1, 2);
  await output.settle(true);
  const advantages = rowsOf(folder, 'groups.jsonl').map(({ members }) =>
    (members as { advantages: number[] | null }[]).map((member) => member.advantages),
  );
  const whitened = [
    [1, 1],
    [-1, -1],
  ];
  expect(advantages).toEqual([whitened, whitened, [null, null]]);
  const steps = rowsOf(folder, 'longrun.jsonl').map(
    ({ trajectory }) => (trajectory as { timesteps: { advantage: number | null }[] }).timesteps[0]?.advantage,
  );
  expect(steps).toEqual([1, -1, 1, -1, null, null]);
  const left = rowsOf(folder, 'rejected.jsonl').filter(({ rule }) => rule === 'no_advantages');
  expect(left).toMatchObject([{ group_id: 'run/one/2', format: 'tinker' }]);
  expect(left[0]?.reason).toContain('normalises over a batch of groups');
});
