import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LongrunError } from '../core/errors.js';
import { SECOND_MS } from '../core/time.js';
import { serverStatus, stopServer } from '../temporal/embedded-server.js';
import { readLock } from '../temporal/process-lock.js';

/** A worker lets calls in the air end for 30 s, and needs a moment to leave. */
const PATIENCE_MS = 45 * SECOND_MS;
const POLL_MS = 100;

/** Stops the host worker of a state folder in order, then its server. Answers what was running. */
export async function takeDown(
  stateDir: string,
  say: (line: string) => void,
): Promise<{ worker: boolean; server: boolean }> {
  const server = serverStatus(stateDir).running;
  const lock = readLock(join(stateDir, 'host'));
  const worker = lock?.held === true;
  if (worker) {
    const { pid } = lock.holder;
    say(`Stopping the worker (pid ${pid}): calls in the air are finished and recorded.`);
    process.kill(pid, 'SIGTERM');
    await untilFree(stateDir, pid);
  }
  // The worker may have been its last client, and then it has stopped it already.
  return { worker, server: (await stopServer(stateDir)) || server };
}

async function untilFree(stateDir: string, pid: number): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(POLL_MS)) {
    const lock = readLock(join(stateDir, 'host'));
    if (!lock?.held || lock.holder.pid !== pid) return;
  }
  throw new LongrunError(
    'internal',
    `The worker (pid ${pid}) did not stop within ${PATIENCE_MS / SECOND_MS} s.`,
    {
      hint: `End it with: kill -9 ${pid}; nothing recorded is lost. Then run longrun down again.`,
    },
  );
}
