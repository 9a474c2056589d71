import { describe, expect, it } from 'vitest';
import type { Episode } from '../../../src/core/trajectory/episode.schema.js';
import type { ExportContext } from '../../../src/formats/export-format.js';
import { pythonJson } from '../../../src/formats/python-json.js';
import { tinkerFormat } from '../../../src/formats/tinker/tinker.js';
import { exportContext } from '../recorded-episode.js';
import { RESPELLED, sampledEpisode, TWO_TURNS } from '../tokens/sampled-episode.js';

function exported(episodes: readonly Episode[], options: ExportContext['options'] = {}) {
  const { rows, refused } = tinkerFormat.rows(episodes, exportContext(options));
  const of = (name: string | null) =>
    rows.filter(({ file }) => file === name).map(({ value }) => JSON.parse(pythonJson(value)));
  return { datums: of(null), trajectories: of('.traj.jsonl'), metas: of('.meta.jsonl'), refused };
}

const pair = () => [sampledEpisode(0, 1), sampledEpisode(1, 0)];
const named = TWO_TURNS.map((turn, i) => ({ ...turn, sequenceId: `seq-${i}` }));

describe('a datum as Tinker takes it', () => {
  it('predicts each id from those before it, and trains only what was sampled', () => {
    const { datums } = exported(pair());
    expect(datums).toHaveLength(2);
    expect(datums[0]).toEqual({
      model_input: { chunks: [{ type: 'encoded_text', tokens: [10, 11, 12, 20, 21, 13] }] },
      loss_fn_inputs: {
        target_tokens: { data: [11, 12, 20, 21, 13, 22], dtype: 'int64', shape: [6] },
        logprobs: { data: [0, 0, -0.3, -0.1, 0, -0.02], dtype: 'float32', shape: [6] },
        advantages: { data: [0, 0, 0.5, 0.5, 0, 0.5], dtype: 'float32', shape: [6] },
      },
    });
    expect(datums[1].loss_fn_inputs.advantages.data).toEqual([0, 0, -0.5, -0.5, 0, -0.5]);
  });

  it('takes the advantage that an estimator has set for a turn', () => {
    const turns = TWO_TURNS.map((turn, i) => ({ ...turn, advantage: i === 0 ? 2 : -3 }));
    const { datums } = exported([sampledEpisode(0, 1, turns), sampledEpisode(1, 1, turns)]);
    expect(datums[0].loss_fn_inputs.advantages.data).toEqual([0, 0, 2, 2, 0, -3]);
  });

  it('gives a rollout whose prompts were rewritten one datum per sequence, each with its advantage', () => {
    const { datums, metas } = exported([sampledEpisode(0, 1, RESPELLED), sampledEpisode(1, 0)]);
    expect(datums.map(({ model_input }) => model_input.chunks[0].tokens)).toEqual([
      [10, 11, 20],
      [10, 11, 29, 12],
      [10, 11, 12, 20, 21, 13],
    ]);
    expect(metas.map(({ session_id, sequence, turns }) => [session_id, sequence, turns])).toEqual([
      ['run__list-files__0', 0, [0]],
      ['run__list-files__0', 1, [1]],
      ['run__list-files__1', 0, [0, 1]],
    ]);
  });

  it('says which sampling request every id came from, in runs that tile inputs and targets', () => {
    const { datums } = exported([sampledEpisode(0, 1, named), sampledEpisode(1, 0, named)]);
    expect(datums[0].model_input_spans).toEqual([
      { prompt_tokens: { sequence_id: 'seq-0', offset: 0, length: 3 } },
      { sampled_tokens: { sequence_id: 'seq-0', offset: 0, length: 2 } },
      { prompt_tokens: { sequence_id: 'seq-1', offset: 5, length: 1 } },
    ]);
    expect(datums[0].loss_fn_input_spans).toEqual([
      { prompt_tokens: { sequence_id: 'seq-0', offset: 1, length: 2 } },
      { sampled_tokens: { sequence_id: 'seq-0', offset: 0, length: 2 } },
      { prompt_tokens: { sequence_id: 'seq-1', offset: 5, length: 1 } },
      { sampled_tokens: { sequence_id: 'seq-1', offset: 0, length: 1 } },
    ]);
  });

  it('says nothing of requests where one of them is not known', () => {
    const half = TWO_TURNS.map((turn, i) => ({ ...turn, sequenceId: i === 0 ? 'seq-0' : null }));
    const { datums } = exported([sampledEpisode(0, 1, half), sampledEpisode(1, 0)]);
    expect(datums.flatMap((datum) => Object.keys(datum))).not.toContain('model_input_spans');
  });

  it('is a supervised one where no log-probabilities are asked for: weights, and no reward needed', () => {
    const bare = TWO_TURNS.map((turn) => ({ ...turn, logprobs: null }));
    const { datums, trajectories } = exported([sampledEpisode(0, null, bare)], { withoutLogprobs: true });
    expect(datums[0].loss_fn_inputs).toEqual({
      target_tokens: { data: [11, 12, 20, 21, 13, 22], dtype: 'int64', shape: [6] },
      weights: { data: [0, 0, 1, 1, 0, 1], dtype: 'float32', shape: [6] },
    });
    expect(trajectories[0]).toMatchObject({ reward: null });
    expect(trajectories[0].transitions[0].logprobs).toBeNull();
  });
});

describe('beside the datums', () => {
  it('stands one trajectory a line: whole prompts, what was sampled, its log-probabilities', () => {
    const { trajectories } = exported([sampledEpisode(0, 1, named), sampledEpisode(1, 0, RESPELLED)]);
    expect(trajectories[0]).toEqual({
      group: 'run/list-files',
      reward: 1,
      transitions: [
        { ob: [10, 11, 12], ac: [20, 21], logprobs: [-0.3, -0.1], masked: false, sequence_id: 'seq-0' },
        { ob: [10, 11, 12, 20, 21, 13], ac: [22], logprobs: [-0.02], masked: false, sequence_id: 'seq-1' },
      ],
    });
    expect(trajectories[1].transitions.map(({ ob, sequence_id }: never) => [ob, sequence_id])).toEqual([
      [[10, 11], null],
      [[10, 11, 29, 12], null],
    ]);
  });

  it('stands what a trainer has to say of each datum', () => {
    const turns = TWO_TURNS.map((turn) => ({ ...turn, policyVersion: 'step-7' }));
    const { metas } = exported([sampledEpisode(0, 1, turns), sampledEpisode(1, 0, turns)]);
    expect(metas[0]).toEqual({
      group_id: 'run/list-files',
      session_id: 'run__list-files__0',
      sequence: 0,
      sequences: 1,
      turns: [0, 1],
      reward: 1,
      advantages: [0.5, 0.5],
      policy_versions: ['step-7'],
      tokenized_by: null,
    });
  });

  it('counts a scored member without ids in the mean, as a trajectory without transitions', () => {
    const without = sampledEpisode(2, 0, [{ prompt: null, sampled: null }]);
    const { datums, trajectories, refused } = exported([...pair(), without]);
    expect(refused.map(({ code }) => code)).toEqual(['no_sampled_ids']);
    expect(datums[0].loss_fn_inputs.advantages.data[2]).toBeCloseTo(2 / 3);
    expect(trajectories[2]).toEqual({ group: 'run/list-files', reward: 0, transitions: [] });
  });
});

describe('what is left out', () => {
  it('refuses members without a reward, and groups from which nothing is learned', () => {
    expect(exported([...pair(), sampledEpisode(2, null)]).refused).toMatchObject([{ code: 'no_reward' }]);
    const same = [sampledEpisode(0, 0.1), sampledEpisode(1, 0.1), sampledEpisode(2, 0.1)];
    const { datums, trajectories, refused } = exported(same);
    expect([datums, trajectories]).toEqual([[], []]);
    expect(refused.map(({ code }) => code)).toEqual(['zero_variance', 'zero_variance', 'zero_variance']);
    expect(exported(same, { keepZeroVariance: true }).datums[0].loss_fn_inputs.advantages.data).toEqual([
      0, 0, 0, 0, 0, 0,
    ]);
  });

  it('keeps a group of equal rewards in which an estimator has set advantages', () => {
    const turns = TWO_TURNS.map((turn) => ({ ...turn, advantage: 1 }));
    expect(exported([sampledEpisode(0, 1, turns), sampledEpisode(1, 1, turns)]).datums).toHaveLength(2);
  });

  it('refuses a rollout in which nothing was sampled', () => {
    const silent = [{ prompt: [1, 2], sampled: [] }];
    expect(exported([sampledEpisode(0, 1, silent)]).refused).toMatchObject([
      { code: 'no_sampled_ids', reason: 'nothing was sampled in it' },
    ]);
  });

  it('refuses ids without log-probabilities by name', () => {
    const bare = TWO_TURNS.map((turn) => ({ ...turn, logprobs: null }));
    expect(exported([sampledEpisode(0, 1, bare)]).refused).toMatchObject([{ code: 'no_logprobs' }]);
  });
});
