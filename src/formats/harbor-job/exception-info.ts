import type { StopReason } from '../../core/rollout/outcome.js';
import type { RolloutResult } from '../../store/records/records.schema.js';
import { isoTime } from './trial-records.js';

export interface ExceptionInfo {
  exception_type: string;
  exception_message: string;
  exception_traceback: string;
  occurred_at: string;
}

/** Harbor's exception types, where it has one for the reason; stop reasons that are no error to it are missing. */
const BY_STOP_REASON: Partial<Record<StopReason, string>> = {
  wall_timeout: 'AgentTimeoutError',
  context_overflow: 'ContextWindowExceededError',
  length_truncated: 'OutputTokenExceededError',
  llm_error: 'UnknownApiError',
  provision_error: 'EnvironmentStartError',
  sandbox_lost: 'SandboxLostError',
  verifier_error: 'VerifierError',
  verifier_timeout: 'VerifierTimeoutError',
  cancelled: 'CancelledError',
};

const BY_FAILURE_CODE: Record<string, string> = {
  model_rate_limited: 'ApiRateLimitError',
  model_unavailable: 'ApiInternalServerError',
  model_key_missing: 'AgentAuthenticationError',
  model_unknown: 'ModelNotFoundError',
};

/** The error of a trial as Harbor records it, or null where the trial ended in order. */
export function exceptionInfo(result: RolloutResult): ExceptionInfo | null {
  const type = BY_FAILURE_CODE[result.failure?.code ?? ''] ?? BY_STOP_REASON[result.stopReason];
  if (type === undefined) return null;
  return {
    exception_type: type,
    exception_message: result.failure?.message ?? `the trial ended with ${result.stopReason}`,
    exception_traceback: '',
    occurred_at: isoTime(result.timings.finishedAt),
  };
}
