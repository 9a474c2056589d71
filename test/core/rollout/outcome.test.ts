import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  outcomeClass,
  queueState,
  STOP_REASONS,
  type StopReason,
} from '../../../src/core/rollout/outcome.js';

const failure = (retryable: boolean) => ({ code: 'x', message: 'm', retryable, hint: null });
const base = { failure: null, attemptsLeft: 2, suspectedTampering: false };

describe('the class of an outcome', () => {
  it.each<[StopReason[], string]>([
    [
      [
        'natural',
        'sandbox_ended',
        'max_turns',
        'token_budget',
        'cost_budget',
        'wall_timeout',
        'context_overflow',
        'length_truncated',
        'format_error',
      ],
      'agent',
    ],
    [
      ['llm_error', 'provision_error', 'sandbox_lost', 'verifier_error', 'verifier_timeout'],
      'infrastructure',
    ],
    [['cancelled'], 'operator'],
  ])('%j is %s', (reasons, expected) => {
    expect(reasons.map(outcomeClass)).toEqual(reasons.map(() => expected));
  });

  it('is known for every stop reason', () => {
    for (const reason of STOP_REASONS)
      expect(['agent', 'infrastructure', 'operator']).toContain(outcomeClass(reason));
  });
});

describe('the queue an outcome goes to', () => {
  it('is success for everything scored, unless tampering is suspected', () => {
    expect(queueState({ ...base, stopReason: 'wall_timeout' })).toBe('success');
    expect(queueState({ ...base, stopReason: 'natural', suspectedTampering: true })).toBe(
      'needs_human_review',
    );
  });

  it('is another attempt for infrastructure while there are any, then a person', () => {
    const lost = { ...base, stopReason: 'sandbox_lost', failure: failure(true) } as const;
    expect(queueState(lost)).toBe('retryable_failure');
    expect(queueState({ ...lost, attemptsLeft: 0 })).toBe('needs_human_review');
  });

  it('is final where trying again cannot help, and for what was cancelled', () => {
    expect(queueState({ ...base, stopReason: 'llm_error', failure: failure(false) })).toBe(
      'terminal_failure',
    );
    expect(queueState({ ...base, stopReason: 'cancelled' })).toBe('terminal_failure');
  });

  it('never retries a scored outcome or a cancelled one', () => {
    const input = fc.record({
      stopReason: fc.constantFrom(...STOP_REASONS),
      failure: fc.option(fc.boolean().map(failure)),
      attemptsLeft: fc.nat(5),
      suspectedTampering: fc.boolean(),
    });
    fc.assert(
      fc.property(input, (outcome) => {
        if (queueState(outcome) !== 'retryable_failure') return;
        expect(outcomeClass(outcome.stopReason)).toBe('infrastructure');
        expect(outcome.attemptsLeft).toBeGreaterThan(0);
      }),
    );
  });
});
