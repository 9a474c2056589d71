import type { AttemptKey } from '../../src/core/ids.js';
import type { RunConfig } from '../../src/core/run/run-config.schema.js';
import type { Plan, RolloutResult, RunRecord } from '../../src/store/records/records.schema.js';
import { RUN_CONFIG } from '../support/run-config-defaults.js';

export const attemptKey: AttemptKey = { runId: 'r', taskId: 't', sample: 0, attempt: 1 };

export function runRecord(overrides: Partial<RunRecord> = {}, config: Partial<RunConfig> = {}): RunRecord {
  return {
    schemaVersion: 1,
    runId: 'r',
    mode: 'evaluate',
    environment: { name: 'tblite', source: 'builtin' },
    config: {
      ...RUN_CONFIG,
      agent: 'tool-calling',
      model: 'some/model',
      samples: 2,
      modelTimeoutMs: 600_000,
      ...config,
    },
    createdAt: 1_700_000_000_000,
    longrunVersion: '0.1.0',
    ...overrides,
  };
}

export function plan(tasks: Record<string, number>): Plan {
  return {
    schemaVersion: 1,
    tasks: Object.entries(tasks).map(([taskId, samples]) => ({ taskId, samples })),
  };
}

export function result(overrides: Partial<RolloutResult> = {}): RolloutResult {
  const { taskId = 't', sample = 0 } = overrides;
  return {
    schemaVersion: 1,
    rolloutId: `r/${taskId}/${sample}`,
    taskId,
    sample,
    attempt: 1,
    attempts: 1,
    reward: 1,
    rewards: { reward: 1 },
    stopReason: 'natural',
    failureClass: 'agent',
    failure: null,
    queueState: 'success',
    turns: 3,
    lostCalls: 0,
    failedCalls: 0,
    usage: { promptTokens: 100, cachedTokens: 40, completionTokens: 10 },
    costUsd: 0.01,
    timings: {
      startedAt: 1_700_000_000_000,
      finishedAt: 1_700_000_010_000,
      provisionMs: 500,
      agentMs: 6_000,
      modelMs: 4_000,
      toolsMs: 2_000,
      verifyMs: 1_000,
    },
    isolation: 'separate',
    suspectedTampering: [],
    trusted: [],
    model: 'some/model',
    policyVersion: null,
    category: null,
    replay: null,
    ...overrides,
  };
}

/** A rollout whose attempts ended for reasons that are not the agent's. */
export function lostResult(overrides: Partial<RolloutResult> = {}): RolloutResult {
  return result({
    reward: null,
    rewards: {},
    stopReason: 'sandbox_lost',
    failureClass: 'infrastructure',
    failure: { code: 'sandbox_gone', message: 'the container is gone', retryable: true, hint: null },
    queueState: 'needs_human_review',
    ...overrides,
  });
}
