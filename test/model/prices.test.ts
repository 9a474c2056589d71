import { describe, expect, it } from 'vitest';
import { modelFacts } from '../../src/model/model-table.js';
import { costUsd, priceOf } from '../../src/model/prices.js';

describe('the price of a model', () => {
  it('is found by its id with vendor, date or variant', () => {
    const mini = modelFacts('gpt-4o-mini')?.price;
    expect(mini).toBeDefined();
    for (const id of [
      'openai/gpt-4o-mini',
      'gpt-4o-mini-2024-07-18',
      'openai/gpt-4o-mini:nitro',
      'GPT-4o-mini',
    ])
      expect(modelFacts(id)?.price).toEqual(mini);
    expect(modelFacts('anthropic/claude-sonnet-4.5')).toEqual(modelFacts('claude-sonnet-4-5-20250929'));
    expect(modelFacts('gpt-4o-audio')).toBeNull();
  });

  it('is what the settings say before what the table says', () => {
    const set = { 'gpt-4o-mini': { input: 1, cachedInput: null, output: 2 } };
    expect(priceOf('gpt-4o-mini', set, { locally: true })).toEqual(set['gpt-4o-mini']);
    expect(priceOf('gpt-4o', set, { locally: false })?.input).toBe(2.5);
  });

  it('is unknown for a model served on this machine under a well-known name', () => {
    expect(priceOf('deepseek-chat', {}, { locally: true })).toBeNull();
  });

  it('counts cached tokens at their own rate, or at the full one where there is none', () => {
    const usage = { promptTokens: 1_000_000, cachedTokens: 400_000, completionTokens: 100_000 };
    expect(costUsd(usage, { input: 2, cachedInput: 0.5, output: 8 })).toBeCloseTo(1.2 + 0.2 + 0.8, 10);
    expect(costUsd(usage, { input: 2, cachedInput: null, output: 8 })).toBeCloseTo(2 + 0.8, 10);
  });
});
