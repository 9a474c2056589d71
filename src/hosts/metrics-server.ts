import { randomInt } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { badInput } from '../core/errors.js';
import { SECOND_MS } from '../core/time.js';
import { closeServer, createLoopbackServer, listenOnLoopback } from '../http/loopback-server.js';
import { freePort, isPortFree } from '../machine/ports.js';

const SDK_TIMEOUT_MS = 5 * SECOND_MS;

export interface MetricsServer {
  /** `host:port` where the SDK has to serve the metrics that are passed on; null = there are none. */
  sdkAddress: string | null;
  close(): Promise<void>;
}

const NONE: MetricsServer = { sdkAddress: null, close: async () => undefined };

/**
 * Serves `/metrics` on the loopback interface; nothing for a null port. The SDK's own server answers whoever asks, by
 * any name: it listens where nobody looks for it, and ours in front of it checks who asks. Throws `bad_input` for a
 * port that is taken.
 */
export async function startMetricsServer(port: number | null): Promise<MetricsServer> {
  if (port === null) return NONE;
  if (!(await isPortFree(port)))
    throw badInput(
      `--metrics-port: port ${port} is in use by another process.`,
      'Choose another port, or leave --metrics-port out.',
      { port },
    );
  const sdkAddress = await hiddenAddress();
  const server = createLoopbackServer((request, response) => {
    if (request.url?.split('?')[0] === '/metrics') void passOn(sdkAddress, response);
    else answer(response, 404, 'There is /metrics.\n');
  });
  await listenOnLoopback(server, port);
  return { sdkAddress, close: () => closeServer(server) };
}

/** Linux answers on all of 127.0.0.0/8: whoever tries ports by name would have to guess one address of millions, too. */
async function hiddenAddress(): Promise<string> {
  const part = () => randomInt(1, 255);
  const host = process.platform === 'linux' ? `127.${part()}.${part()}.${part()}` : '127.0.0.1';
  return `${host}:${await freePort(host)}`;
}

async function passOn(sdkAddress: string, response: ServerResponse): Promise<void> {
  try {
    const metrics = await fetch(`http://${sdkAddress}/metrics`, {
      signal: AbortSignal.timeout(SDK_TIMEOUT_MS),
    });
    answer(response, metrics.status, await metrics.text());
  } catch {
    answer(response, 503, 'No worker has started here yet.\n');
  }
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text);
}
