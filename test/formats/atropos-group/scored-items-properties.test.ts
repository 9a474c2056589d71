import fc from 'fast-check';
import { expect, it } from 'vitest';
import { moments } from '../../../src/core/advantage/moments.js';
import { checkItem } from '../../../src/formats/atropos-group/check-item.js';
import { encodeSequence } from '../../../src/formats/atropos-group/encode-sequence.js';
import { scoredItems } from '../../../src/formats/atropos-group/scored-items.js';
import { episodeSequences } from '../../../src/formats/tokens/episode-sequences.js';
import type { Sampled } from '../tokens/sampled-episode.js';
import { scoredGroup } from './scored-group.js';

/** A conversation whose prompts go on with what came before, or begin anew. */
const turns = fc
  .array(fc.record({ anew: fc.boolean(), prompt: fc.integer({ min: 1, max: 4 }), sampled: fc.nat(3) }), {
    minLength: 1,
    maxLength: 4,
  })
  .map((steps) => {
    let ids: number[] = [];
    let next = 100;
    return steps.map(({ anew, prompt, sampled }): Sampled => {
      const fresh = (count: number) => Array.from({ length: count }, () => next++);
      ids = [...(anew ? [] : ids), ...fresh(prompt)];
      const answer = fresh(sampled);
      const turn = { prompt: ids, sampled: answer, logprobs: answer.map((id) => -id / 128) };
      ids = [...ids, ...answer];
      return turn;
    });
  });

const members = fc.array(
  fc.record({
    reward: fc.option(fc.integer({ min: -8, max: 8 }).map((n) => n / 8)),
    turns,
    stale: fc.boolean(),
  }),
  { minLength: 2, maxLength: 5 },
);

const limits = fc.option(fc.integer({ min: 2, max: 12 }));

const parts = (group: Parameters<typeof scoredGroup>[0], maxTokenLength: number | null) => {
  const { record, episodes } = scoredGroup(group);
  return { record, episodes, ...scoredItems(record, episodes, { maxTokenLength, keepZeroVariance: true }) };
};

/** `sample: labels` of every sequence with something trained, sorted. */
const sorted = (labels: { sample: number; masks: readonly number[] }[]) =>
  labels
    .filter(({ masks }) => masks.some((label) => label !== -100))
    .map(({ sample, masks }) => `${sample}: ${masks.join(' ')}`)
    .sort();

it('every item has one entry per member, all lists agree, and nothing is infinite', () => {
  fc.assert(
    fc.property(members, limits, (group, limit) => {
      const { items, leftOut } = parts(group, limit);
      for (const item of items) {
        expect(checkItem(item, group.length)).toBeNull();
        expect(item.overrides.map(({ sample }) => sample)).toEqual(group.map((_, i) => i));
        if (limit !== null) for (const ids of item.tokens) expect(ids.length).toBeLessThan(limit);
      }
      if (items.length > 0)
        for (const [sample] of group.entries())
          expect(
            items.some(({ overrides }) => overrides[sample]?.sequence !== null) ||
              leftOut.some((left) => left.sample === sample),
          ).toBe(true);
    }),
  );
});

it('every item has the mean and the spread of the scored members', () => {
  fc.assert(
    fc.property(members, (group) => {
      const { items, record } = parts(group, null);
      const missing = group.filter(({ reward }) => reward === null).length;
      for (const { scores } of items) {
        const { mean, std } = moments(scores);
        expect(mean).toBeCloseTo(record.mean as number, 10);
        // Members without a score stand at the mean, which narrows the spread by as much as they are many.
        const share = (group.length - missing) / group.length;
        expect(std).toBeCloseTo((record.std as number) * Math.sqrt(share), 10);
      }
    }),
  );
});

it('all that was sampled of a scored, recent member is trained in one place, and nothing else', () => {
  fc.assert(
    fc.property(members, (group) => {
      const { items, episodes } = parts(group, null);
      const sent = items.flatMap(({ masks, overrides }) =>
        masks.map((labels, i) => ({ sample: overrides[i]?.sample as number, masks: labels })),
      );
      const scored = episodes.filter((_, i) => group[i]?.reward !== null);
      const sampled = scored.flatMap((episode) =>
        (episodeSequences(episode).sequences ?? []).map((sequence) => ({
          sample: episode.rollout?.sample as number,
          masks: encodeSequence(sequence).masks,
        })),
      );
      expect(sorted(sent)).toEqual(sorted(sampled));
    }),
  );
});

it('an entry of which nothing is trained has its advantage set to zero', () => {
  fc.assert(
    fc.property(members, limits, (group, limit) => {
      for (const { masks, overrides, inference_logprobs } of parts(group, limit).items)
        for (const [i, labels] of masks.entries()) {
          const trained = labels.some((label) => label !== -100);
          expect(overrides[i]?.set_advantage_to_zero ?? false).toBe(!trained);
          if (!trained) expect(new Set(inference_logprobs[i])).toEqual(new Set([1]));
        }
    }),
  );
});
