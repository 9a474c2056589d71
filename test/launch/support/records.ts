import type { RunConfig } from '../../../src/core/run-config.schema.js';
import type { RolloutResult, RunRecord } from '../../../src/store/records.schema.js';

const CONFIG: RunConfig = {
  agent: 'nop',
  model: null,
  baseUrl: null,
  apiKeyEnv: 'OPENAI_API_KEY',
  samples: 2,
  maxAttempts: 3,
  concurrency: 4,
  sandbox: 'memory',
  network: null,
  passThreshold: 1,
  contextPolicy: 'stop',
  contextWindow: null,
  historyLimits: {},
  maxTurns: 10,
  maxTokens: null,
  temperature: null,
  seed: null,
  timeoutMultiplier: 1,
  budgetUsd: null,
  budgetTokens: null,
  prices: {},
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
    model: null,
    policyVersion: null,
    category: null,
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
