import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface SeenRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any shape.
  body: any;
}

type Answer = (request: SeenRequest, response: ServerResponse) => void;

/** A real HTTP server of one test that answers as it is told. */
export class LocalEndpoint {
  readonly seen: SeenRequest[] = [];
  private readonly server: Server;

  constructor(answer: Answer) {
    this.server = createServer(async (request, response) => {
      const body = request.method === 'POST' ? await json(request) : null;
      const seen = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
      this.seen.push(seen);
      answer(seen, response);
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

export function reply(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export const completion = (message: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'served-model-001',
  choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1000, completion_tokens: 50, prompt_tokens_details: { cached_tokens: 400 } },
  ...more,
});
