import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import Dockerode from 'dockerode';
import { onTestFinished } from 'vitest';

/** Stands in for a Docker engine where a test needs what a real one does only when it is in trouble. */
export interface EngineDouble {
  docker: Dockerode;
  /** `METHOD /path` of every request, without the API version. */
  requests: string[];
}

export interface EngineAnswers {
  answer(request: string, response: ServerResponse): void;
  /** Commands are attached to by an upgraded connection. */
  attach?(socket: Duplex): void;
}

export async function startEngineDouble({ answer, attach }: EngineAnswers): Promise<EngineDouble> {
  const requests: string[] = [];
  const sockets = new Set<Duplex>();
  const note = ({ method, url = '' }: IncomingMessage): string => {
    const request = `${method} ${url.replace(/^\/v[\d.]+/, '').replace(/\?.*/, '')}`;
    requests.push(request);
    return request;
  };
  const server = createServer((request, response) => answer(note(request), response));
  server.on('connection', (socket) => sockets.add(socket));
  server.on('upgrade', (request, socket) => {
    note(request);
    socket.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n');
    attach?.(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { docker: new Dockerode({ protocol: 'http', host: '127.0.0.1', port }), requests };
}

/** An answer of the engine: JSON, and nothing for 204. */
export function say(response: ServerResponse, status: number, body: unknown = null): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(body === null ? '' : JSON.stringify(body));
}
