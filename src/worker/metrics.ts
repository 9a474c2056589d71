import { Runtime } from '@temporalio/worker';
import type { RolloutObserver } from '../rollout/observer.js';
import type { SinkObserver } from '../sinks/host/sink-host-parts.js';

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

/** What goes to trainers, beside the counters of rollouts. */
export function createSinkMetrics(): SinkObserver {
  const meter = Runtime.instance().metricMeter;
  const groups = meter.createCounter(
    'longrun_sink_groups',
    undefined,
    'Groups done with, by sink and outcome',
  );
  const lag = meter.createHistogram(
    'longrun_policy_lag',
    'int',
    undefined,
    'Policy versions since the first turn of a rollout that is shipped, by sink',
  );
  const masked = meter.createCounter(
    'longrun_masked_rollouts',
    undefined,
    'Rollouts shipped masked because their policy is too old, by sink',
  );
  return {
    groupRead(sink, lags, stale) {
      for (const versions of lags) if (versions !== null) lag.record(versions, { sink });
      masked.add(stale, { sink });
    },
    groupSettled(sink, outcome) {
      groups.add(1, { sink, outcome });
    },
  };
}
