import type { Failure, StopReason } from '../core/rollout/outcome.js';
import type { Sandbox } from '../sandbox/sandbox.js';

export interface Loss {
  stopReason: StopReason;
  failure: Failure | null;
}

export const OUTSIDE_LOSS: Loss = {
  stopReason: 'sandbox_lost',
  failure: {
    code: 'sandbox_gone',
    message: 'the sandbox is gone, and not by the agent’s doing',
    retryable: true,
    hint: 'it was removed or killed from outside, or its engine or worker was restarted',
  },
};

/**
 * Whose doing it is that a sandbox no longer answers. One that ended or ran out of memory from
 * inside is the agent's outcome, scored; anything from outside is infrastructure.
 */
export async function lossOf(sandbox: Sandbox | null): Promise<Loss> {
  if (sandbox === null) return OUTSIDE_LOSS;
  const state = await sandbox.state().catch(() => null);
  return state?.ended === 'inside' ? { stopReason: 'sandbox_ended', failure: null } : OUTSIDE_LOSS;
}
