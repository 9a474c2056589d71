import { type RolloutKey, rolloutId } from '../core/ids.js';
import { NO_USAGE } from '../core/rollout/usage.js';
import type { RunConfig } from '../core/run/run-config.schema.js';
import type { RolloutResult } from '../store/records/records.schema.js';

/** The result of a rollout that never had an attempt, because its run was cancelled. */
export function cancelledUnstarted(key: RolloutKey, config: RunConfig, now: number): RolloutResult {
  const timings = { provisionMs: null, agentMs: null, modelMs: null, toolsMs: null, verifyMs: null };
  return {
    schemaVersion: 1,
    rolloutId: rolloutId(key),
    taskId: key.taskId,
    sample: key.sample,
    attempt: 0,
    attempts: 0,
    reward: null,
    rewards: {},
    stopReason: 'cancelled',
    failureClass: 'operator',
    failure: null,
    queueState: 'terminal_failure',
    turns: 0,
    lostCalls: 0,
    failedCalls: 0,
    usage: NO_USAGE,
    costUsd: null,
    timings: { startedAt: now, finishedAt: now, ...timings },
    isolation: null,
    suspectedTampering: [],
    trusted: [],
    model: config.agent === 'tool-calling' ? config.model : null,
    policyVersion: null,
    category: null,
    replay: null,
  };
}
