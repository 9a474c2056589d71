import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ksOf, summariseRun } from '../../src/records/summarise.js';
import type { RolloutResult } from '../../src/store/records/records.schema.js';
import { lostResult, plan, result, runRecord } from '../store/fixtures.js';

const noCategories = new Map<string, string | null>();

/** Results from a table: a reward, or null for an infrastructure failure. */
function results(table: Record<string, (number | null)[]>): RolloutResult[] {
  return Object.entries(table).flatMap(([taskId, rewards]) =>
    rewards.map((reward, sample) =>
      reward === null
        ? lostResult({ taskId, sample })
        : result({ taskId, sample, reward, rewards: { reward } }),
    ),
  );
}

function summary(table: Record<string, (number | null)[]>, planned = table, passThreshold = 1) {
  const counts = Object.fromEntries(
    Object.entries(planned).map(([taskId, rewards]) => [taskId, rewards.length]),
  );
  return summariseRun(runRecord({}, { passThreshold }), plan(counts), results(table), noCategories);
}

describe('the summary of a run', () => {
  it('scores tasks by pass@k and rollouts by mean reward', () => {
    const found = summary({ a: [1, 0, 1], b: [0, 0, 0.5], c: [1, 1, 1] });
    expect(found.passAt['1']?.estimate).toBeCloseTo((2 / 3 + 0 + 1) / 3, 12);
    expect(found.passAt['2']?.estimate).toBeCloseTo((1 + 0 + 1) / 3, 12);
    expect(found.passAt['3']).toMatchObject({ tasks: 3, tasksLeftOut: 0 });
    expect(found.meanReward).toBeCloseTo(5.5 / 9, 12);
    expect(found).toMatchObject({ nRollouts: 9, nScored: 9, nPassed: 5, nOpen: 0, scripted: false });
  });

  it('leaves infrastructure failures out of every score and shows them apart', () => {
    const found = summary({ a: [1, null], b: [0, null] });
    expect(found).toMatchObject({
      nScored: 2,
      nInfrastructure: 2,
      meanReward: 0.5,
      meanRewardWithFailures: 0.25,
    });
    expect(found.passAt['1']).toMatchObject({ estimate: 0.5, tasks: 2 });
    expect(found.stopReasons).toEqual({ natural: 2, sandbox_lost: 2 });
  });

  it('leaves a task with fewer than k scored samples out of pass@k, and counts it', () => {
    const found = summary({ a: [1, 0], b: [1, null], c: [null, null] });
    expect(found.passAt['1']).toMatchObject({ estimate: 0.75, tasks: 2, tasksLeftOut: 1 });
    expect(found.passAt['2']).toMatchObject({ estimate: 1, interval: null, tasks: 1, tasksLeftOut: 2 });
  });

  it('of a run in which nothing was scored knows no score, and claims none', () => {
    const found = summary({ a: [null], b: [null] });
    expect(found).toMatchObject({ meanReward: null, meanRewardWithFailures: 0, nInfrastructure: 2 });
    expect(found.passAt['1']).toEqual({ estimate: null, interval: null, tasks: 0, tasksLeftOut: 2 });
  });

  it('passes by the threshold of the run', () => {
    expect(summary({ a: [0.5] }, undefined, 0.5).nPassed).toBe(1);
    expect(summary({ a: [0.5] }, undefined, 0.6).nPassed).toBe(0);
  });

  it('counts what is still open, and what an operator cancelled', () => {
    const cancelled = lostResult({
      sample: 1,
      stopReason: 'cancelled',
      failureClass: 'operator',
      failure: null,
    });
    const found = summariseRun(runRecord(), plan({ t: 5 }), [result(), cancelled], noCategories);
    expect(found).toMatchObject({
      nRollouts: 5,
      nOpen: 3,
      nCancelled: 1,
      nScored: 1,
      meanRewardWithFailures: 1,
    });
  });

  it('has a line per category, those without one included', () => {
    const categories = new Map([
      ['a', 'shell'],
      ['b', 'files'],
      ['c', null],
    ] as const);
    const table = { a: [1, 1], b: [0, 1], c: [0] };
    const found = summariseRun(runRecord(), plan({ a: 2, b: 2, c: 1 }), results(table), new Map(categories));
    expect(found.categories).toEqual([
      { category: 'files', tasks: 1, nScored: 2, meanReward: 0.5, passAt1: 0.5 },
      { category: 'shell', tasks: 1, nScored: 2, meanReward: 1, passAt1: 1 },
      { category: 'uncategorised', tasks: 1, nScored: 1, meanReward: 0, passAt1: 0 },
    ]);
  });

  it('adds up tokens and cost, and knows no cost where a part of it is unknown', () => {
    const known = [result(), result({ sample: 1, costUsd: 0.5 })];
    const found = summariseRun(runRecord(), plan({ t: 3 }), known, noCategories);
    expect(found.usage).toEqual({ promptTokens: 200, cachedTokens: 80, completionTokens: 20 });
    expect(found.costUsd).toBeCloseTo(0.51, 12);
    const unknown = summariseRun(
      runRecord(),
      plan({ t: 3 }),
      [...known, result({ sample: 2, costUsd: null })],
      noCategories,
    );
    expect(unknown.costUsd).toBeNull();
  });

  it('says when the model was a script', () => {
    const scripted = runRecord({}, { model: 'scripted/apprentice' });
    expect(summariseRun(scripted, plan({}), [], noCategories).scripted).toBe(true);
  });

  it('does not depend on the order of the results', () => {
    const rewards = fc.array(fc.option(fc.constantFrom(0, 0.25, 1)), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), rewards, { minKeys: 1 }), (table) => {
        const counts = Object.fromEntries(
          Object.entries(table).map(([taskId, found]) => [taskId, found.length]),
        );
        const forward = summariseRun(runRecord(), plan(counts), results(table), noCategories);
        const backward = summariseRun(runRecord(), plan(counts), results(table).reverse(), noCategories);
        expect(backward.passAt).toEqual(forward.passAt);
        expect(backward.nPassed).toBe(forward.nPassed);
      }),
    );
  });
});

describe('which k are estimated', () => {
  it('every one of a few, each doubling and the last of many', () => {
    expect(ksOf(3)).toEqual([1, 2, 3]);
    expect(ksOf(16).at(-1)).toBe(16);
    expect(ksOf(100).slice(15)).toEqual([16, 32, 64, 100]);
    expect(ksOf(0)).toEqual([]);
  });
});
