import { readHosts, takesWork } from '../store/hosts.js';
import { readRun } from '../store/runs.js';
import type { RolloutDeps } from './deps.js';

/**
 * Whether a living host could take over from one that takes no work. Asked when it is to be given up,
 * not when the run starts: hosts come and go, and with nobody else to go to, waiting loses nothing.
 */
export async function hasOtherHost(
  { store, now }: Pick<RolloutDeps, 'store' | 'now'>,
  runId: string,
  hostId: string,
): Promise<boolean> {
  const [run, hosts] = await Promise.all([readRun(store, runId), readHosts(store)]);
  return hosts.some((host) => host.hostId !== hostId && takesWork(host, run.config.sandbox, now()));
}
