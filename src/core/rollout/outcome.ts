/** Why an attempt ended (design: outcomes). */
export const STOP_REASONS = [
  'natural',
  'sandbox_ended',
  'max_turns',
  'token_budget',
  'cost_budget',
  'wall_timeout',
  'context_overflow',
  'length_truncated',
  'format_error',
  'llm_error',
  'provision_error',
  'sandbox_lost',
  'verifier_error',
  'verifier_timeout',
  'cancelled',
] as const;
export type StopReason = (typeof STOP_REASONS)[number];

export type OutcomeClass = 'agent' | 'infrastructure' | 'operator';

const INFRASTRUCTURE: ReadonlySet<StopReason> = new Set([
  'llm_error',
  'provision_error',
  'sandbox_lost',
  'verifier_error',
  'verifier_timeout',
] as const);

/** Agent outcomes are scored and sealed; infrastructure outcomes never carry a score. */
export function outcomeClass(reason: StopReason): OutcomeClass {
  if (reason === 'cancelled') return 'operator';
  return INFRASTRUCTURE.has(reason) ? 'infrastructure' : 'agent';
}

/** What went wrong, in the words of whoever reported it. */
export interface Failure {
  code: string;
  message: string;
  retryable: boolean;
  hint: string | null;
}

export type QueueState = 'success' | 'retryable_failure' | 'terminal_failure' | 'needs_human_review';

export interface QueueInput {
  stopReason: StopReason;
  failure: Failure | null;
  attemptsLeft: number;
  suspectedTampering: boolean;
}

/** The four states of the closed-loop article. A scored outcome is a success whatever its reward. */
export function queueState(input: QueueInput): QueueState {
  const kind = outcomeClass(input.stopReason);
  if (kind === 'operator') return 'terminal_failure';
  if (kind === 'agent') return input.suspectedTampering ? 'needs_human_review' : 'success';
  if (input.failure?.retryable === false) return 'terminal_failure';
  return input.attemptsLeft > 0 ? 'retryable_failure' : 'needs_human_review';
}
