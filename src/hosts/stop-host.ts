import { setTimeout as sleep } from 'node:timers/promises';
import { LongrunError } from '../core/errors.js';
import { SECOND_MS } from '../core/time.js';
import { type LivingHost, livingHosts } from '../machine/host-lock.js';
import { signalProcess } from '../machine/process-identity.js';
import { serverStatus, stopServer } from '../temporal/embedded-server.js';

/** A worker lets calls in the air end for 30 s, and needs a moment to leave. */
const PATIENCE_MS = 45 * SECOND_MS;
const POLL_MS = 100;

/** Stops the workers of a state folder in order, then its server. Answers what was running. */
export async function takeDown(
  stateDir: string,
  say: (line: string) => void,
): Promise<{ worker: boolean; server: boolean }> {
  const server = serverStatus(stateDir).running;
  const hosts = livingHosts(stateDir);
  const toStop = hosts.filter(({ lock }) => !lock.info.supervised).map(({ lock }) => lock.holder);
  for (const [pid, holder] of new Map(toStop.map((holder) => [holder.pid, holder]))) {
    say(`Stopping the worker (pid ${pid}): calls in the air are finished and recorded.`);
    signalProcess(holder, 'SIGTERM');
  }
  await untilFree(stateDir, new Set(hosts.map(pidOf)));
  // The last worker may have been its last client, and then it has stopped it already.
  return { worker: hosts.length > 0, server: (await stopServer(stateDir)) || server };
}

const pidOf = ({ lock }: LivingHost): number => lock.holder.pid;

async function untilFree(stateDir: string, pids: ReadonlySet<number>): Promise<void> {
  const left = () =>
    livingHosts(stateDir)
      .map(pidOf)
      .filter((pid) => pids.has(pid));
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(POLL_MS))
    if (left().length === 0) return;
  const [pid] = left();
  throw new LongrunError(
    'internal',
    `The worker (pid ${pid}) did not stop within ${PATIENCE_MS / SECOND_MS} s.`,
    {
      hint: `It may still be draining (longrun hosts). Or end it with: kill -9 ${pid}; nothing recorded is lost. Then run longrun down again.`,
    },
  );
}
