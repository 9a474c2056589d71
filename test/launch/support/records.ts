import type { RunConfig } from '../../../src/core/run/run-config.schema.js';
import type { RolloutResult, RunRecord } from '../../../src/store/records/records.schema.js';
import { RUN_CONFIG } from '../../support/run-config-defaults.js';

const CONFIG: RunConfig = {
  ...RUN_CONFIG,
  samples: 2,
  concurrency: 4,
  maxTurns: 10,
  modelTimeoutMs: 1_000,
};

export function runRecord(runId: string, config: Partial<RunConfig> = {}): RunRecord {
  return {
    schemaVersion: 1,
    runId,
    mode: 'evaluate',
    environment: { name: 'test', source: '/tasks' },
    config: { ...CONFIG, ...config },
    createdAt: 1_000,
    longrunVersion: '0.0.0',
  };
}

export function rolloutResult(
  runId: string,
  taskId: string,
  sample: number,
  changes: Partial<RolloutResult> = {},
): RolloutResult {
  return {
    schemaVersion: 1,
    rolloutId: `${runId}/${taskId}/${sample}`,
    taskId,
    sample,
    attempt: 1,
    attempts: 1,
    reward: 1,
    rewards: {},
    stopReason: 'natural',
    failureClass: 'agent',
    failure: null,
    queueState: 'success',
    turns: 3,
    lostCalls: 0,
    failedCalls: 0,
    usage: { promptTokens: 100, cachedTokens: 0, completionTokens: 10 },
    costUsd: 0.5,
    timings: {
      startedAt: 1_000,
      finishedAt: 3_000,
      provisionMs: 1,
      agentMs: 1,
      modelMs: 1,
      toolsMs: 1,
      verifyMs: 1,
    },
    isolation: 'shared',
    suspectedTampering: [],
    trusted: [],
    model: null,
    policyVersion: null,
    category: null,
    replay: null,
    ...changes,
  };
}

/** An infrastructure failure without a score. */
export const LOST: Partial<RolloutResult> = {
  reward: null,
  stopReason: 'sandbox_lost',
  failureClass: 'infrastructure',
  failure: { code: 'sandbox_gone', message: 'the host went \u001b[31maway', retryable: true, hint: null },
};
