import { onTestFinished } from 'vitest';
import {
  ownTokenizerFiles,
  type Policy,
  PolicyServer,
  type PolicyServerOptions,
  scriptedPolicy,
} from '../../src/model/policy-server/index.js';
import { tokenizerOf } from '../../src/model/tokenizer/open-tokenizer.js';

const DEFAULTS = {
  models: ['demo'],
  seed: 1,
  usualBias: 2,
  family: null,
  failures: [],
  retryAfterSec: 1,
  policyVersion: '0',
} satisfies Partial<PolicyServerOptions>;

/** A policy server whose caller closes it. */
export function startPolicyServer(options: Partial<PolicyServerOptions> & { policy?: Policy } = {}) {
  return PolicyServer.start({
    ...DEFAULTS,
    tokenizer: tokenizerOf(ownTokenizerFiles()),
    policy: scriptedPolicy([]),
    ...options,
  });
}

/** A policy server of the running test, closed when it ends. */
export async function policyServer(options: Partial<PolicyServerOptions> = {}): Promise<PolicyServer> {
  const server = await startPolicyServer(options);
  onTestFinished(() => server.close());
  return server;
}
