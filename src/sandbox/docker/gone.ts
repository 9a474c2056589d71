import { LongrunError } from '../../core/errors.js';
import type { SandboxState } from '../sandbox.js';

/** The error for a sandbox that has ended, with what is known of why. */
export function sandboxGone(state: SandboxState, cause?: unknown): LongrunError {
  return new LongrunError('sandbox_gone', `The sandbox ended from ${state.ended ?? 'outside'}.`, {
    details: { ended: state.ended ?? 'outside', oom_killed: state.oomKilled },
    cause,
  });
}

/** Runs a call on a sandbox; where the engine refuses it because the sandbox has ended, the error says why. */
export async function tellingWhyGone<T>(
  askState: () => Promise<SandboxState>,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!LongrunError.is(error, 'sandbox_gone') || 'ended' in error.details) throw error;
    throw sandboxGone(await askState(), error);
  }
}
