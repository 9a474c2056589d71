import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type RegistryAnswer = (response: ServerResponse, request: IncomingMessage) => void;

/**
 * A registry on loopback that answers the engine's questions as the test says; the engine asks such addresses without
 * TLS. Answers an image of it, which no engine has.
 */
export async function startRegistry(answer: RegistryAnswer): Promise<string> {
  const server = createServer((request, response) => answer(response, request));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}/some/image:1`;
}

/** What a registry refuses with, by the distribution specification; its base (`/v2/`) is open. */
export function refuseWith(
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): RegistryAnswer {
  return (response, { url }) => {
    if (url === '/v2/') return void response.writeHead(200, headers).end('{}');
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ errors: [{ code, message }] }));
  };
}
