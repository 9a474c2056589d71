export { FAIL_HEADER, FAILURE_KINDS, type FailureRule, parseFailureRule } from './failure-plan.js';
export type { LedgerEntry } from './ledger.js';
export { ownTokenizerFiles } from './own-tokenizer.js';
export { type Policy, scriptedPolicy } from './policy.js';
export { PolicyServer, type PolicyServerOptions } from './policy-server.js';
