import type { ServerResponse } from 'node:http';
import { badInput } from '../core/errors.js';
import { closeServer, createLoopbackServer, listenOnLoopback } from '../http/loopback-server.js';
import { isPortFree } from '../machine/ports.js';

/** Whether a worker can work now, and what it says of itself: JSON in snake case. */
export interface HealthReport {
  ready: boolean;
  document: Record<string, unknown>;
}

export interface HealthServer {
  close(): Promise<void>;
}

const NONE: HealthServer = { close: async () => undefined };

/**
 * Serves `/healthz` (the process answers) and `/readyz` (503 while it cannot work) on the loopback interface;
 * nothing for a null port. Throws `bad_input` for a port that is taken.
 */
export async function startHealthServer(
  port: number | null,
  report: () => Promise<HealthReport>,
): Promise<HealthServer> {
  if (port === null) return NONE;
  if (!(await isPortFree(port)))
    throw badInput(`--health-port: port ${port} is in use by another process.`, 'Choose another port.', {
      port,
    });
  const server = createLoopbackServer((request, response) => {
    const path = request.url?.split('?')[0];
    if (path === '/healthz') answer(response, 200, { status: 'ok' });
    else if (path === '/readyz') void answerReady(response, report);
    else answer(response, 404, { error: 'there are /healthz and /readyz' });
  });
  await listenOnLoopback(server, port);
  return { close: () => closeServer(server) };
}

/** A health that cannot be found out is an answer too: nobody waits for one, so that a rejection would end the process. */
export function healthOrTrouble(report: () => Promise<HealthReport>): Promise<HealthReport> {
  return report().catch((error: unknown) => ({ ready: false, document: { error: String(error) } }));
}

async function answerReady(response: ServerResponse, report: () => Promise<HealthReport>): Promise<void> {
  const { ready, document } = await healthOrTrouble(report);
  answer(response, ready ? 200 : 503, { status: ready ? 'ready' : 'not_ready', ...document });
}

function answer(response: ServerResponse, status: number, document: Record<string, unknown>): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(document)}\n`);
}
