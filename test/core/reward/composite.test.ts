import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compositeReward, type PartWeight } from '../../../src/core/reward/composite.js';
import { isPartName, partValue } from '../../../src/core/reward/part-values.js';
import { compositeSignal, judgedSignal } from '../../../src/core/reward/shaped-signal.js';
import { episodeOf, signal } from './episode-of.js';

const weight = (w: number, more: Partial<PartWeight> = {}): PartWeight => ({
  weight: w,
  missing: null,
  limit: null,
  ...more,
});
const JUDGEMENT = { score: 0.8, components: { clarity: 0.4 }, by: 'judge', at: 5, rationale: 'clear' };

describe('a composite reward', () => {
  it('is the weighted mean of its parts, and says what each came to', () => {
    const found = compositeReward({ a: weight(3), b: weight(1) }, (name) => (name === 'a' ? 1 : 0.5));
    expect(found).toEqual({
      value: 0.875,
      parts: {
        a: { value: 1, weight: 3, contribution: 0.75 },
        b: { value: 0.5, weight: 1, contribution: 0.125 },
      },
    });
  });

  it('names the parts that an episode lacks instead of comparing it by fewer', () => {
    const weights = { environment: weight(1), user: weight(1), reward_model: weight(1, { missing: 0.5 }) };
    const found = compositeSignal(
      episodeOf([{ says: 'Done.' }], { rewards: [signal('environment', 1)] }),
      weights,
      null,
      9,
    );
    expect(found).toEqual({ missing: ['user'] });
    const half = { ...weights, user: weight(1, { missing: 0 }) };
    expect(
      compositeSignal(episodeOf([{}], { rewards: [signal('environment', 1)] }), half, null, 9),
    ).toMatchObject({ value: 0.5, shape: 'composite', source: 'reward_model', quality: 'medium', at: 9 });
  });

  it('lies between the least and the greatest part, whatever the weights', () => {
    const part = fc.record({
      value: fc.double({ min: -1, max: 1, noNaN: true }),
      weight: fc.double({ min: 0.01, max: 100, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), (parts) => {
        const weights = Object.fromEntries(parts.map((p, i) => [`p${i}`, weight(p.weight)]));
        const found = compositeReward(weights, (name) => parts[Number(name.slice(1))]?.value ?? null);
        if ('missing' in found) throw new Error('nothing is missing');
        const values = parts.map(({ value }) => value);
        expect(found.value).toBeGreaterThanOrEqual(Math.min(...values) - 1e-9);
        expect(found.value).toBeLessThanOrEqual(Math.max(...values) + 1e-9);
      }),
    );
  });

  it('of implicit parts alone is no better than implicit', () => {
    const found = compositeSignal(episodeOf([{}]), { 'implicit.errors': weight(1) }, null, 1);
    expect(found).toMatchObject({ source: 'implicit', quality: 'low' });
  });
});

describe('the parts of a reward', () => {
  const episode = episodeOf(
    [
      { completionTokens: 300, calls: [{ name: 'terminal', ok: true }] },
      { completionTokens: 100, calls: [{ name: 'terminal', args: { command: 'x' }, ok: false }] },
    ],
    {
      rewards: [
        signal('environment', 0.5, { components: { tests: 0.25, style: 0.75 } }),
        signal('user', 0),
        signal('user', 1, { at: 2 }),
        signal('reward_model', 1, { components: { score: 0.6, clarity: 0.1 } }),
        signal('reward_model', 0.2, { shape: 'composite', at: 3 }),
      ],
    },
  );
  const value = (name: string, part = weight(1)) => partValue(episode, name, part, null);

  it.each([
    ['environment', 0.5],
    ['environment.tests', 0.25],
    ['environment.speed', null],
    ['user', 1],
    // The score, not what a threshold or a composite has made of it.
    ['reward_model', 0.6],
    ['reward_model.clarity', 0.1],
    ['tool_success', 0.5],
    ['completed', 1],
    ['implicit.errors', -0.5],
    ['implicit.session_length', -0.04],
  ])('%s is %s', (name, expected) => {
    expect(value(name)).toBe(expected);
    expect(isPartName(name)).toBe(true);
  });

  it('a penalty for length grows with the tokens of the answers, to -1', () => {
    expect(value('length_penalty', weight(1, { limit: 800 }))).toBe(-0.5);
    expect(value('length_penalty', weight(1, { limit: 100 }))).toBe(-1);
    const uncounted = episodeOf([{ says: 'x'.repeat(400) }]);
    expect(partValue(uncounted, 'length_penalty', weight(1, { limit: 1000 }), null)).toBe(-0.1);
  });

  it('a fresh judgement goes before a recorded one', () => {
    expect(partValue(episode, 'reward_model', weight(1), JUDGEMENT)).toBe(0.8);
    expect(partValue(episode, 'reward_model.clarity', weight(1), JUDGEMENT)).toBe(0.4);
  });

  it.each(['enviroment', 'judge', 'implicit.speed', 'environment.', 'reward_model.'])(
    '%s is none',
    (name) => {
      expect(isPartName(name)).toBe(false);
    },
  );
});

describe('the shapes of a score', () => {
  it('continuous keeps it, binary compares it and keeps it beside', () => {
    expect(judgedSignal(JUDGEMENT, { kind: 'continuous' })).toMatchObject({
      value: 0.8,
      shape: 'continuous',
      quality: 'medium',
      by: 'judge',
      note: 'clear',
      components: { clarity: 0.4 },
    });
    const binary = judgedSignal(JUDGEMENT, { kind: 'binary', threshold: 0.8 });
    expect(binary).toMatchObject({ value: 1, shape: 'binary', components: { score: 0.8, threshold: 0.8 } });
    expect(judgedSignal(JUDGEMENT, { kind: 'binary', threshold: 0.81 }).value).toBe(0);
  });
});
