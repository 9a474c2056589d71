import { LongrunError } from '../../core/errors.js';
import { SECOND_MS } from '../../core/time.js';
import { patiently } from '../host/patiently.js';
import type { SinkContext } from '../sink.js';
import { talk } from './atropos-api.js';
import { Registrar } from './registrar.js';

/** A server that is away has forgotten the environment anyhow. */
const PATIENCE_MS = 15 * SECOND_MS;

/**
 * Disconnects the environment, which the server would count for ever otherwise. May be called again; a server that
 * does not know the environment, or has given its number to another, is left alone.
 */
export async function takeLeave(context: SinkContext, base: URL, patienceMs = PATIENCE_MS): Promise<void> {
  const registrar = new Registrar(context, base);
  const last = await registrar.last();
  if (last === null || last.standing.disconnected || last.standing.lost) return;
  const { registration } = last;
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(patienceMs)]);
  const leave = () =>
    talk(
      base,
      async (api) => {
        const status = await api.envStatus(registration.envId);
        if (status === null || status.current_step < last.standing.step) return;
        if (!(await registrar.isKnown(api, last))) return;
        await context.checkFence();
        await api.disconnectEnv(registration.envId);
      },
      signal,
    );
  try {
    await patiently(leave, { signal, firstMs: SECOND_MS / 4, longestMs: 2 * SECOND_MS });
  } catch (error) {
    context.signal.throwIfAborted();
    if (LongrunError.is(error, 'fenced')) throw error;
    context.logger.warn(
      { reason: String(error), envId: registration.envId },
      `could not disconnect from ${base.origin}; if that server is still there, its weights count environment ${registration.envId} in`,
    );
    return;
  }
  await registrar.putStanding({ ...last.standing, disconnected: true });
}
