import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { LongrunError } from '../../core/errors.js';
import { closeServer, createLoopbackServer, listenOnLoopback } from '../../http/loopback-server.js';
import { readJson } from '../../http/read-json.js';
import { TURN_HEADER } from '../call-headers.js';
import { nextAnswer } from './next-answer.js';
import type { TaskScript } from './script.js';
import { SCRIPTED_NAMES } from './scripted-name.js';
import { requestDigest, wireCompletion } from './wire-completion.js';
import { type WireRequest, wireRequestSchema } from './wire-request.js';

/**
 * Scripted models behind a real HTTP endpoint on this machine: `POST /v1/chat/completions` and
 * `GET /v1/models`. Starts listening when first asked for its address and never keeps a process alive.
 */
export class ScriptedServer {
  private starting: Promise<Server> | null = null;

  constructor(private readonly scripts: readonly TaskScript[]) {}

  /** The address up to and including `/v1`. */
  async baseUrl(): Promise<string> {
    this.starting ??= this.start();
    const { port } = (await this.starting).address() as AddressInfo;
    return `http://127.0.0.1:${port}/v1`;
  }

  async close(): Promise<void> {
    const server = await this.starting;
    this.starting = null;
    if (server) await closeServer(server);
  }

  private async start(): Promise<Server> {
    const server = createLoopbackServer((request, response) => {
      this.answer(request, response).catch((error) => fail(response, error));
    });
    server.keepAliveTimeout = 60_000;
    server.on('connection', (socket) => socket.unref());
    await listenOnLoopback(server, 0);
    return server.unref();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const route = `${request.method} ${request.url?.split('?')[0]}`;
    if (route === 'GET /v1/models') {
      const data = SCRIPTED_NAMES.map((id) => ({ id, object: 'model', owned_by: 'longrun' }));
      return send(response, 200, { object: 'list', data });
    }
    if (route !== 'POST /v1/chat/completions') return fail(response, notFound(`nothing at ${route}`));
    const parsed = wireRequestSchema.safeParse(await readJson(request));
    if (!parsed.success) throw new LongrunError('bad_input', parsed.error.message);
    if (parsed.data.stream) throw new LongrunError('bad_input', 'scripted models do not stream');
    const turn = request.headers[TURN_HEADER];
    await this.complete(parsed.data, typeof turn === 'string' ? turn : undefined, response);
  }

  private async complete(
    request: WireRequest,
    turn: string | undefined,
    response: ServerResponse,
  ): Promise<void> {
    const answer = nextAnswer(request, this.scripts, turn);
    if (answer.delayMs > 0) await sleep(answer.delayMs, undefined, { ref: false });
    response.setHeader('x-request-id', `req_${requestDigest(request)}`);
    send(response, 200, wireCompletion(request, answer));
  }
}

const notFound = (message: string): LongrunError => new LongrunError('not_found', message);

/** Errors in OpenAI's shape. */
function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) return;
  const known = LongrunError.is(error) ? error : null;
  const message = known ? [known.message, known.hint].filter(Boolean).join('. ') : String(error);
  const missing = known?.code === 'model_unknown' || known?.code === 'not_found';
  const code = known?.code === 'model_unknown' ? 'model_not_found' : null;
  send(response, missing ? 404 : 400, {
    error: { message, type: 'invalid_request_error', param: null, code },
  });
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
