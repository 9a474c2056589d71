import type { Usage } from '../../core/rollout/usage.js';
import type { ToldTokens } from '../sampled-tokens.js';

/** A call in ids. */
export interface TokenCall {
  model: string;
  promptTokenIds: readonly number[];
  /** Null: as much as the endpoint's context has room for. */
  maxTokens: number | null;
  temperature: number | null;
  seed: number | null;
}

/** What came back, before it is checked. */
export interface TokenAnswer extends ToldTokens {
  finishReason: string;
  usage: Usage;
  requestId: string | null;
  sequenceId: string | null;
  policyVersion: string | number | null;
  model: string | null;
}

/** How an inference server is asked by ids. */
export interface TokenWire {
  url(baseUrl: string): string;
  body(call: TokenCall): Record<string, unknown>;
  /** Throws zod's error where the answer is of another shape. */
  read(body: unknown, call: TokenCall): TokenAnswer;
}
