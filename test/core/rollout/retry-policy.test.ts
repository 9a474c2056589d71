import { describe, expect, it } from 'vitest';
import type { StopReason } from '../../../src/core/rollout/outcome.js';
import { nextAttemptDelay, RETRIED_REASONS, RETRY_RULES } from '../../../src/core/rollout/retry-policy.js';

const ended = (stopReason: StopReason, retryable = true) => ({
  stopReason,
  failure: { code: 'x', message: '', retryable, hint: null },
});
const latest = () => 1;

describe('whether a rollout is tried again', () => {
  it.each([
    // what ended so far, the run's limit, the settings, again
    [['sandbox_lost'], 3, {}, true],
    [['sandbox_lost', 'sandbox_lost'], 3, {}, true],
    [['sandbox_lost', 'sandbox_lost', 'sandbox_lost'], 3, {}, false],
    [['provision_error'], 1, {}, false],
    [['llm_error', 'llm_error', 'llm_error'], 10, {}, false],
    [['llm_error', 'llm_error', 'sandbox_lost'], 10, {}, true],
    [['verifier_error'], 10, {}, true],
    [['verifier_error', 'verifier_error'], 10, {}, false],
    [['verifier_error', 'verifier_error'], 10, { verifier_error: 5 }, true],
    [['verifier_error', 'verifier_error'], 2, { verifier_error: 5 }, false],
    [['sandbox_lost'], 10, { sandbox_lost: 1 }, false],
    [['verifier_timeout'], 10, {}, false],
    [['natural'], 10, {}, false],
    [['token_budget'], 10, {}, false],
    [['cancelled'], 10, {}, false],
  ] as [StopReason[], number, Record<string, number>, boolean][])(
    'after %j with at most %i attempts and settings %j: %s',
    (reasons, maxAttempts, settings, again) => {
      const delay = nextAttemptDelay(
        reasons.map((r) => ended(r)),
        maxAttempts,
        settings,
        latest,
      );
      expect(delay !== null).toBe(again);
    },
  );

  it('not when the same inputs would fail again, but for tests that hang where a person asks for it', () => {
    for (const reason of RETRIED_REASONS)
      expect(nextAttemptDelay([ended(reason, false)], 10, {}, latest)).toBeNull();
    expect(nextAttemptDelay([ended('llm_error', false)], 10, { llm_error: 5 }, latest)).toBeNull();
    const timeout = [ended('verifier_timeout', false)];
    expect(nextAttemptDelay(timeout, 10, { verifier_timeout: 2 }, latest)).not.toBeNull();
    expect(nextAttemptDelay([...timeout, ...timeout], 10, { verifier_timeout: 2 }, latest)).toBeNull();
  });
});

describe('how long it waits before', () => {
  it('grows with the attempts that ended alike, up to a limit of its own', () => {
    const { firstDelayMs, longestDelayMs } = RETRY_RULES.sandbox_lost;
    const delayAfter = (times: number) =>
      nextAttemptDelay(Array(times).fill(ended('sandbox_lost')), 20, {}, latest);
    expect([delayAfter(1), delayAfter(2), delayAfter(3)]).toEqual([
      firstDelayMs,
      2 * firstDelayMs,
      4 * firstDelayMs,
    ]);
    expect(delayAfter(15)).toBe(longestDelayMs);
  });

  it('is spread, so that what failed together does not come back together', () => {
    const delay = (chance: number) => nextAttemptDelay([ended('provision_error')], 3, {}, () => chance);
    expect(delay(0)).toBe(RETRY_RULES.provision_error.firstDelayMs / 2);
    expect(delay(0.5)).toBeGreaterThan(delay(0) ?? 0);
    expect(delay(0.999)).toBeLessThanOrEqual(RETRY_RULES.provision_error.firstDelayMs);
  });
});
