import { createServer, type RequestListener, type Server } from 'node:http';
import { foreignAsker } from './foreign-asker.js';

const HOST = '127.0.0.1';
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 60_000;

/** A server for programs on this machine: pages of other sites, and names that others pointed here, are turned away. */
export function createLoopbackServer(answer: RequestListener): Server {
  const limits = { headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS, noDelay: true };
  return createServer(limits, (request, response) => {
    const foreign = foreignAsker(request.headers, HOST);
    if (foreign === null) return answer(request, response);
    const message = `This port answers programs on this machine, by the names localhost and 127.0.0.1, not ${JSON.stringify(foreign.who)}.`;
    response.writeHead(403, { 'content-type': 'application/json', connection: 'close' });
    response.end(`${JSON.stringify({ error: { code: foreign.code, message } })}\n`);
  });
}

/** Listens on the loopback interface; port 0 = a free one. */
export function listenOnLoopback(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, resolve);
  });
}

/** Answers on their way are cut off. */
export async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
