import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { segment } from '../../../src/formats/tokens/segment.js';
import type { SampledTurn, TrainingSequence } from '../../../src/formats/tokens/training-sequence.js';

const turn = (
  index: number,
  prompt: readonly number[],
  sampled: readonly number[],
  rest: Partial<SampledTurn> = {},
): SampledTurn => ({
  turn: index,
  promptTokenIds: prompt,
  completionTokenIds: sampled,
  logprobs: sampled.map((id) => -id / 100),
  sequenceId: `seq-${index}`,
  policyVersion: 'step-3',
  masked: false,
  ...rest,
});

describe('turns become training sequences', () => {
  it('goes on with a sequence while each prompt extends it token by token', () => {
    const { sequences } = segment([turn(0, [1, 2], [3]), turn(1, [1, 2, 3, 4], [5, 6])]);
    expect(sequences?.map(({ ids }) => ids)).toEqual([[1, 2, 3, 4, 5, 6]]);
    expect(sequences?.[0]?.spans.map(({ turn, start, length }) => ({ turn, start, length }))).toEqual([
      { turn: 0, start: 2, length: 1 },
      { turn: 1, start: 4, length: 2 },
    ]);
  });

  it('begins a new one where a sampled id was spelled otherwise in the next prompt', () => {
    const { sequences } = segment([turn(0, [1, 2], [3, 4]), turn(1, [1, 2, 9, 4], [5])]);
    expect(sequences?.map(({ ids }) => ids)).toEqual([
      [1, 2, 3, 4],
      [1, 2, 9, 4, 5],
    ]);
  });

  it('begins a new one where a prompt is shorter than what was there', () => {
    const { sequences } = segment([turn(0, [1, 2, 3], [4]), turn(1, [1, 2, 3], [5])]);
    expect(sequences).toHaveLength(2);
  });

  it('keeps whose sample and which policy each span was', () => {
    const { sequences } = segment([turn(0, [1], [2]), turn(1, [1, 2], [3], { policyVersion: 'step-4' })]);
    expect(sequences?.[0]?.spans.map(({ sequenceId, policyVersion }) => [sequenceId, policyVersion])).toEqual(
      [
        ['seq-0', 'step-3'],
        ['seq-1', 'step-4'],
      ],
    );
  });

  it('leaves out a stretch in which nothing was sampled', () => {
    expect(segment([turn(0, [7], []), turn(1, [1], [2])]).sequences?.map(({ ids }) => ids)).toEqual([[1, 2]]);
  });

  it.each([
    ['an empty prompt', turn(2, [], [1]), 'turn 3 has an empty prompt'],
    ['a fraction as an id', turn(0, [1.5], [1]), 'the prompt of turn 1 has 1.5 among its token ids'],
    ['a negative id', turn(0, [1], [-2]), 'turn 1 has -2 among its sampled token ids'],
    [
      'fewer log-probabilities than ids',
      turn(0, [1], [2, 3], { logprobs: [-1] }),
      'turn 1 has 2 sampled token ids and 1 log-probabilities',
    ],
    [
      'an infinite log-probability',
      turn(0, [1], [2], { logprobs: [Number.NEGATIVE_INFINITY] }),
      'turn 1 has -Infinity among its log-probabilities',
    ],
    [
      'a log-probability that says "not trained"',
      turn(0, [1], [2], { logprobs: [1] }),
      'turn 1 has 1 among its log-probabilities',
    ],
  ])('refuses %s by name', (_, broken, reason) => {
    expect(segment([broken])).toMatchObject({ sequences: null, problem: { reason } });
  });
});

/** Conversations whose prompts mostly extend what was there, and sometimes are rewritten. */
const conversations = fc
  .array(
    fc.record({
      added: fc.array(fc.nat(20), { maxLength: 5 }),
      sampled: fc.array(fc.nat(20), { maxLength: 5 }),
      rewrite: fc.option(fc.array(fc.nat(20), { minLength: 1, maxLength: 6 }), { freq: 4 }),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((steps) => {
    let context: number[] = [99];
    return steps.map(({ added, sampled, rewrite }, index) => {
      const prompt = rewrite ?? [...context, ...added];
      context = [...prompt, ...sampled];
      return turn(index, prompt, sampled);
    });
  });

const sampledIn = (sequence: TrainingSequence): number[][] =>
  sequence.spans.map(({ start, length }) => sequence.ids.slice(start, start + length));

describe('whatever the turns', () => {
  it('loses and doubles nothing that was sampled', () => {
    fc.assert(
      fc.property(conversations, (turns) => {
        const spans = (segment(turns).sequences ?? []).flatMap((sequence) =>
          sequence.spans.map((span, i) => ({ span, ids: sampledIn(sequence)[i] })),
        );
        const kept = spans.filter(({ ids }) => ids?.length);
        const expected = turns.filter(({ completionTokenIds }) => completionTokenIds.length > 0);
        expect(kept.map(({ ids }) => ids)).toEqual(
          expected.map(({ completionTokenIds }) => completionTokenIds),
        );
        expect(kept.map(({ span }) => span.logprobs)).toEqual(expected.map(({ logprobs }) => logprobs));
        expect(kept.map(({ span }) => span.turn)).toEqual(expected.map(({ turn }) => turn));
      }),
    );
  });

  it('shows each sampled span after exactly the prompt that it was sampled after', () => {
    fc.assert(
      fc.property(conversations, (turns) => {
        for (const { ids, spans } of segment(turns).sequences ?? [])
          for (const span of spans)
            expect(ids.slice(0, span.start)).toEqual(turns[span.turn]?.promptTokenIds);
      }),
    );
  });

  it('begins a new sequence exactly where a prompt does not extend what was there', () => {
    fc.assert(
      fc.property(conversations, (turns) => {
        const stretches: SampledTurn[][] = [];
        turns.forEach((next, i) => {
          const before = turns[i - 1];
          const context = before ? [...before.promptTokenIds, ...before.completionTokenIds] : [];
          const extended = before && context.every((id, at) => next.promptTokenIds[at] === id);
          if (extended) stretches.at(-1)?.push(next);
          else stretches.push([next]);
        });
        const sampled = stretches.filter((stretch) => stretch.some((t) => t.completionTokenIds.length > 0));
        expect((segment(turns).sequences ?? []).map(({ spans }) => spans.map(({ turn }) => turn))).toEqual(
          sampled.map((stretch) => stretch.map(({ turn }) => turn)),
        );
      }),
    );
  });
});
