import { describe, expect, it } from 'vitest';
import { atroposGroupFormat } from '../../../src/formats/atropos-group/atropos-group.js';
import type { ExportContext } from '../../../src/formats/export-format.js';
import { pythonJson } from '../../../src/formats/python-json.js';
import { exportContext } from '../recorded-episode.js';
import { RESPELLED, sampledEpisode, TWO_TURNS } from '../tokens/sampled-episode.js';

type Episodes = Parameters<typeof atroposGroupFormat.rows>[0];

function exported(episodes: Episodes, options: ExportContext['options'] = {}) {
  const { rows, refused } = atroposGroupFormat.rows(episodes, exportContext(options));
  return { lines: rows.map(({ value }) => JSON.parse(pythonJson(value))), refused };
}

const pair = () => [sampledEpisode(0, 1), sampledEpisode(1, 0)];

describe('a group as Atropos takes it', () => {
  it('is one line of ScoredData, with labels and log-probabilities only where something was sampled', () => {
    const { lines, refused } = exported(pair());
    expect(refused).toEqual([]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      tokens: [
        [10, 11, 12, 20, 21, 13, 22],
        [10, 11, 12, 20, 21, 13, 22],
      ],
      scores: [1, 0],
      advantages: null,
      ref_logprobs: null,
      images: null,
    });
    expect(lines[0].masks[0]).toEqual([-100, -100, -100, 20, 21, -100, 22]);
    expect(lines[0].inference_logprobs[0]).toEqual([1, 1, 1, -0.3, -0.1, 1, -0.02]);
  });

  it('writes scores with a decimal point', () => {
    const [row] = atroposGroupFormat.rows(pair(), exportContext()).rows;
    expect(pythonJson(row?.value)).toContain('"scores": [1.0, 0.0]');
  });

  it('carries ids and policy versions where the server keeps what it does not know', () => {
    const turns = TWO_TURNS.map((turn, i) => ({ ...turn, policyVersion: `step-${i + 3}` }));
    const { lines } = exported([sampledEpisode(0, 1, turns), sampledEpisode(1, 0, turns)]);
    expect(lines[0].overrides[1]).toEqual({
      session_id: 'run__list-files__1',
      sample: 1,
      attempt: 1,
      sequence: 0,
      sequences: 1,
      policy_versions: ['step-3', 'step-4'],
      tokenized_by: null,
    });
    expect(lines[0].group_overrides).toMatchObject({
      group_id: 'run/list-files',
      group_size: 2,
      run_id: 'run',
      task_id: 'list-files',
      policy_versions: ['step-3', 'step-4'],
      mean: 0.5,
    });
  });

  it('has messages with role and content, calls as the model wrote them', () => {
    const { lines } = exported(pair());
    expect(lines[0].messages[0]).toEqual([
      { role: 'user', content: 'List the files.' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          { id: 'call_0', type: 'function', function: { name: 'terminal', arguments: '{"command":"ls"}' } },
        ],
      },
      { role: 'tool', content: 'a.txt', tool_call_id: 'call_0', name: 'terminal' },
      { role: 'assistant', content: 'Done.' },
    ]);
  });

  it('names the sampling temperature, by which trainers divide', () => {
    const { lines } = exported([
      sampledEpisode(0, 1, TWO_TURNS, { temperature: 0.7 }),
      sampledEpisode(1, 0, TWO_TURNS, { temperature: 0.7 }),
    ]);
    expect(lines[0].generation_params).toEqual({ temperature: 0.7 });
  });

  it('gives a rollout whose prompts were rewritten one entry per sequence, each with its score', () => {
    const { lines } = exported([sampledEpisode(0, 1, RESPELLED), sampledEpisode(1, 0)]);
    expect(lines[0].tokens).toEqual([
      [10, 11, 20, 21],
      [10, 11, 29, 12, 22],
      [10, 11, 12, 20, 21, 13, 22],
    ]);
    expect(lines[0].scores).toEqual([1, 1, 0]);
    expect(lines[0].overrides.map(({ sequence, sequences }: never) => [sequence, sequences])).toEqual([
      [0, 2],
      [1, 2],
      [0, 1],
    ]);
    expect(lines[0].group_overrides).toMatchObject({ group_size: 3, rollouts: 2, mean: 0.5 });
    expect(lines[0].messages[0].at(-1)).toMatchObject({ role: 'tool' });
  });

  it('passes on advantages that an estimator has set', () => {
    const turns = TWO_TURNS.map((turn, i) => ({ ...turn, advantage: i + 0.5 }));
    const { lines } = exported([sampledEpisode(0, 1, turns), sampledEpisode(1, 0)]);
    expect(lines[0].advantages[0]).toEqual([0, 0, 0, 0.5, 0.5, 0, 1.5]);
  });
});

describe('what a group leaves out', () => {
  it('keeps a member without a reward out of row and mean, and names it', () => {
    const lost = sampledEpisode(2, null);
    const outcome = { ...lost.outcome, failureClass: 'infrastructure', stopReason: 'sandbox_lost' } as const;
    const { lines, refused } = exported([...pair(), { ...lost, outcome }]);
    expect(lines[0].scores).toEqual([1, 0]);
    expect(lines[0].group_overrides).toMatchObject({
      mean: 0.5,
      left_out: [{ session_id: 'run__list-files__2', reason: 'no_reward' }],
    });
    expect(refused).toEqual([
      { sessionId: 'run__list-files__2', code: 'no_reward', reason: 'it has no reward: sandbox_lost' },
    ]);
  });

  it('refuses episodes without sampled ids by name, and counts their reward in the mean', () => {
    const without = sampledEpisode(2, 1, [TWO_TURNS[0] as never, { prompt: null, sampled: null }]);
    const { lines, refused } = exported([...pair(), without]);
    expect(refused).toEqual([
      {
        sessionId: 'run__list-files__2',
        code: 'no_sampled_ids',
        reason: 'turn 2 was recorded without token ids',
      },
    ]);
    expect(lines[0].group_overrides.mean).toBeCloseTo(2 / 3);
  });

  it('refuses compressed rows, whose text is not what the model saw', () => {
    const compressed = sampledEpisode(0, 1, TWO_TURNS, {
      compressed: {
        originalTokens: 900,
        compressedTokens: 400,
        summarisedTurns: [1, 3],
        summary: 'extractive',
        stillOverLimit: false,
        failed: null,
        keptTurns: [0, 4],
        keyTurns: [],
        originalTurns: 5,
        original: null,
      },
    });
    expect(exported([compressed]).refused).toMatchObject([{ code: 'compressed' }]);
  });

  it('leaves out a group in which all have the same score, unless asked to keep it', () => {
    const same = [sampledEpisode(0, 0.1), sampledEpisode(1, 0.1), sampledEpisode(2, 0.1)];
    const { lines, refused } = exported(same);
    expect(lines).toEqual([]);
    expect(refused.map(({ code }) => code)).toEqual(['zero_variance', 'zero_variance', 'zero_variance']);
    expect(exported(same, { keepZeroVariance: true }).lines[0].scores).toEqual([0.1, 0.1, 0.1]);
  });

  it('never makes log-probabilities up: without them a row is refused, or written without any', () => {
    const bare = TWO_TURNS.map((turn) => ({ ...turn, logprobs: null }));
    const episodes = [sampledEpisode(0, 1, bare), sampledEpisode(1, 0, bare)];
    expect(exported(episodes).refused.map(({ code }) => code)).toEqual(['no_logprobs', 'no_logprobs']);
    const { lines } = exported(episodes, { withoutLogprobs: true });
    expect(lines[0].inference_logprobs).toBeNull();
    expect(lines[0].masks[0]).toEqual([-100, -100, -100, 20, 21, -100, 22]);
  });
});
