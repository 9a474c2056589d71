import type { ModelRequest } from '../../src/model/model-client.js';
import type { ModelConfig } from '../../src/model/registry.js';

export const NEVER = new AbortController().signal;
export const KEY = 'sk-test-4f9c1e7d';
export const ENV = { TEST_KEY: KEY };

export function modelConfig(overrides: Partial<ModelConfig> = {}): ModelConfig {
  return {
    model: 'test-model',
    baseUrl: null,
    apiKeyEnv: 'TEST_KEY',
    contextWindow: null,
    prices: {},
    ...overrides,
  };
}

export function modelRequest(overrides: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: 'test-model',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hello', label: 'task' },
    ],
    tools: [],
    temperature: null,
    maxTokens: null,
    seed: null,
    callId: 'call-0001',
    timeoutMs: 20_000,
    ...overrides,
  };
}

/** What a promise was rejected with. */
// biome-ignore lint/suspicious/noExplicitAny: tests look at errors of any shape.
export async function rejection(promise: Promise<unknown>): Promise<any> {
  return promise.then(
    () => {
      throw new Error('it was not rejected');
    },
    (error) => error,
  );
}
