import { expect, it } from 'vitest';
import { checkItem } from '../../../src/formats/atropos-group/check-item.js';
import type { ScoredItem } from '../../../src/formats/atropos-group/scored-item.js';
import { scoredItems } from '../../../src/formats/atropos-group/scored-items.js';
import { scoredGroup } from './scored-group.js';

function item(): ScoredItem {
  const { record, episodes } = scoredGroup([{ reward: 1 }, { reward: 0 }]);
  const options = { maxTokenLength: null, keepZeroVariance: false };
  return structuredClone(scoredItems(record, episodes, options).items[0] as ScoredItem);
}

const entry = <T>(lists: T[] | null | undefined): T => (lists as T[])[1] as T;

it('lets an item pass that is whole', () => {
  expect(checkItem(item(), 2)).toBeNull();
});

it.each<[string, (item: ScoredItem) => void, string]>([
  ['an entry too few', ({ scores }) => void scores.pop(), 'scores has 1 entries, the group 2'],
  ['a mask too short', ({ masks }) => void entry(masks).pop(), 'entry 1: 6 masks for 7 tokens'],
  [
    'a mask shifted by one',
    ({ masks }) => void entry(masks).unshift(entry(masks).pop() as number),
    'entry 1: token 0: the label 22 is neither its id nor -100',
  ],
  [
    'a log-probability too many',
    (it) => void entry(it.inference_logprobs).push(1),
    'entry 1: 8 inference_logprobs for 7 tokens',
  ],
  [
    'a NaN among its log-probabilities',
    (it) => void entry(it.inference_logprobs).splice(3, 1, Number.NaN),
    'entry 1: NaN is among its inference_logprobs',
  ],
  [
    'a trained token without a log-probability',
    (it) => void entry(it.inference_logprobs).splice(3, 1, 1),
    'entry 1: token 3: label 20 with the log-probability 1',
  ],
  ['an infinite score', ({ scores }) => void scores.splice(0, 1, 1 / 0), 'Infinity is among the scores'],
  [
    'an infinite advantage',
    ({ advantages }) => void entry(advantages).splice(0, 1, 1 / 0),
    'entry 1: Infinity is among its advantages',
  ],
  [
    'an id that is no integer',
    ({ tokens, masks }) => {
      (entry(tokens) as number[])[3] = 1.5;
      entry(masks)[3] = 1.5;
    },
    'entry 1: token 3: 1.5 is no token id',
  ],
  ['an entry without tokens', ({ tokens }) => void tokens.splice(1, 1, []), 'entry 1: it has no tokens'],
])('names %s', (_, spoil, problem) => {
  const spoilt = item();
  spoil(spoilt);
  expect(checkItem(spoilt, 2)).toBe(problem);
});

it('names a group of another size', () => {
  expect(checkItem(item(), 4)).toBe('tokens has 2 entries, the group 4');
});
