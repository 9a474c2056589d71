import { describe, expect, it } from 'vitest';
import { toldLimits } from '../../src/model/openai/told-limits.js';

describe('what headers say of an endpoint’s limits', () => {
  it('is read from OpenAI’s names', () => {
    const headers = new Headers({
      'x-ratelimit-limit-requests': '500',
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-limit-tokens': '30000',
      'x-ratelimit-remaining-tokens': '29000',
    });
    expect(toldLimits(headers)).toEqual({
      requestsPerMinute: 500,
      tokensPerMinute: 30_000,
      remainingRequests: 0,
      remainingTokens: 29_000,
    });
  });

  it('is read from Anthropic’s', () => {
    const headers = new Headers({
      'anthropic-ratelimit-requests-limit': '50',
      'anthropic-ratelimit-requests-remaining': '49',
    });
    expect(toldLimits(headers)).toMatchObject({ requestsPerMinute: 50, remainingRequests: 49 });
  });

  it('is nothing where they are missing, not numbers, or say that there is no limit', () => {
    expect(toldLimits(undefined)).toBeNull();
    expect(toldLimits(new Headers({ 'x-ratelimit-limit-requests': 'many' }))).toBeNull();
    expect(toldLimits(new Headers({ 'x-ratelimit-limit-requests': '0' }))).toBeNull();
    for (const value of ['9'.repeat(400), '1e308', '-1', 'NaN'])
      expect(toldLimits(new Headers({ 'x-ratelimit-remaining-tokens': value }))).toBeNull();
  });
});
