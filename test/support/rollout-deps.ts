import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { HostLedgers } from '../../src/core/host/host-ledgers.js';
import type { Lifecycle } from '../../src/core/rollout/lifecycle.js';
import { OPEN_GATE } from '../../src/model/limits/model-gate.js';
import type { ModelClient, ModelRequest, ModelResponse } from '../../src/model/model-client.js';
import { callPolicies } from '../../src/rollout/calls/call-policies.js';
import type { RolloutDeps } from '../../src/rollout/deps.js';
import { MemoryDriver } from '../../src/sandbox/memory/index.js';
import type { SandboxDriver } from '../../src/sandbox/sandbox.js';
import type { ArtifactStore } from '../../src/store/store.js';
import { harborEnvironment } from '../../src/tasks/harbor-environment.js';
import { passedEnv } from '../../src/tasks/passed-env.js';
import type { TrajectoryRecorder } from '../../src/trajectories/recording/trajectory-recorder.js';
import { localBudgets } from './local-budgets.js';

export interface ExecutorOptions {
  store: ArtifactStore;
  model: ModelClient;
  /** Shared by executors that act on the same sandboxes. */
  driver?: SandboxDriver;
  sliceMs?: number;
  recorder?: TrajectoryRecorder;
}

/** Records nothing. */
const NO_RECORDER: TrajectoryRecorder = {
  rolloutEnded: async () => undefined,
  runEnded: async () => undefined,
};

/** What the worker composes, for the work on rollouts without Temporal. */
export function rolloutDeps({
  store,
  model,
  driver = new MemoryDriver(),
  sliceMs = 10_000,
  recorder = NO_RECORDER,
}: ExecutorOptions): RolloutDeps {
  return {
    store,
    hostId: 'here',
    clusterId: 'tests',
    namespace: 'default',
    drivers: new Map([[driver.name, driver]]),
    ledgers: new HostLedgers(new Map([[driver.name, 10]])),
    hostEnvOf: (run) => passedEnv(run.config, process.env),
    environmentOf: () => harborEnvironment({ name: 'test', source: '/nowhere', folder: '/nowhere' }),
    modelOf: () => model,
    gateOf: () => OPEN_GATE,
    policies: callPolicies(store, Date.now, pino({ level: 'silent' })),
    budgets: localBudgets(store),
    pauseRun: async () => undefined,
    atCheckpoint: () => undefined,
    observer: { attemptEnded: () => undefined, rolloutEnded: () => undefined },
    recorder,
    now: Date.now,
    newId: randomUUID,
    logger: pino({ level: 'silent' }),
    sliceMs,
  };
}

export const BOUND = { promptTokens: 1_000, completionTokens: 500, costUsd: null };

/** A model that is a function of the test. */
export function modelOf(
  answer: (request: ModelRequest, nth: number) => Promise<ModelResponse> | ModelResponse,
): ModelClient & { requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    requests,
    complete: async (request) => {
      requests.push(request);
      return answer(request, requests.length);
    },
    bound: () => BOUND,
    contextWindow: () => null,
  };
}

export function response(message: { content?: string; run?: string }): ModelResponse {
  const toolCalls =
    message.run === undefined
      ? []
      : [{ id: 'call_0', name: 'terminal', arguments: JSON.stringify({ command: message.run }) }];
  return {
    message: { role: 'assistant', content: message.content ?? '', reasoning: null, toolCalls },
    finishReason: toolCalls.length > 0 ? 'tool_calls' : 'stop',
    usage: { promptTokens: 100, cachedTokens: 0, completionTokens: 10 },
    costUsd: null,
    latencyMs: 1,
    requestId: null,
    model: 'test-model',
    promptTokenIds: null,
    completionTokenIds: null,
    logprobs: null,
  };
}

/** Told to go on until the test says otherwise. */
export function lifecycle(): Lifecycle & { cancel(): void; stop(): void } {
  const cancelled = new AbortController();
  const stopping = new AbortController();
  return {
    cancelled: cancelled.signal,
    stopping: stopping.signal,
    stop: () => stopping.abort(),
    cancel: () => {
      cancelled.abort();
      stopping.abort();
    },
  };
}
