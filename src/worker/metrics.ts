import { Runtime } from '@temporalio/worker';
import type { RolloutObserver } from '../rollout/observer.js';

/**
 * Counters of ours beside the SDK's, through the same runtime and so on the same port. Without a
 * metrics address they cost nothing and go nowhere.
 */
export function createMetrics(): RolloutObserver {
  const meter = Runtime.instance().metricMeter;
  const attempts = meter.createCounter('longrun_attempts', undefined, 'Attempts ended, by stop reason');
  const rollouts = meter.createCounter('longrun_rollouts', undefined, 'Rollouts with a result, by class');
  const turns = meter.createCounter('longrun_turns', undefined, 'Turns of ended attempts');
  const calls = meter.createCounter(
    'longrun_wasted_calls',
    undefined,
    'Model calls without an answer, by kind',
  );
  const tokens = meter.createCounter('longrun_tokens', undefined, 'Tokens of ended attempts, by kind');
  return {
    attemptEnded({ stopReason, turns: taken, usage, failedCalls, lostCalls }) {
      attempts.add(1, { stop_reason: stopReason });
      turns.add(taken);
      calls.add(failedCalls, { kind: 'failed' });
      calls.add(lostCalls, { kind: 'lost' });
      tokens.add(usage.promptTokens, { kind: 'prompt' });
      tokens.add(usage.completionTokens, { kind: 'completion' });
    },
    rolloutEnded({ failureClass, reward }) {
      rollouts.add(1, { failure_class: failureClass, scored: reward !== null });
    },
  };
}
