import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { LongrunError } from '../../core/errors.js';

const gzipped = promisify(gzip);
const PLAIN_BYTES = 1_024;

export interface Answer {
  status: number;
  /** As it came; JSON where the peer is what it should be. */
  body: string;
}

/**
 * One connection to a peer and no second one: when it breaks, nothing more can be asked. A process that was started in
 * place of the one that answered before is never sent what was meant for that. A GET may have a body, which `fetch`
 * refuses. After a 5xx the peer resets the connection, so it is not used again, but for a 503 to what is posted: that
 * is how a server that is full puts it off.
 */
export class Connection {
  private readonly agent: HttpAgent | HttpsAgent;
  private socket: Socket | null = null;
  private over = false;

  constructor(private readonly base: URL) {
    this.agent = new (base.protocol === 'https:' ? HttpsAgent : HttpAgent)({
      keepAlive: true,
      maxSockets: 1,
    });
    const connect = this.agent.createConnection.bind(this.agent) as (...args: unknown[]) => Socket;
    this.agent.createConnection = (...args: unknown[]) => {
      if (this.socket !== null) throw new Error('the connection was closed');
      this.socket = connect(...args);
      return this.socket as never;
    };
  }

  /** Something may be asked over it: it was not opened yet, or is still open. */
  get usable(): boolean {
    return !this.over && this.socket?.destroyed !== true;
  }

  /**
   * Throws `sink_unavailable` (retryable) when there is no answer in time; `details.unsent` = the peer has certainly
   * not seen the request. Throws the reason of `signal` when that fires.
   */
  async ask(
    method: 'GET' | 'POST',
    path: string,
    { body, timeoutMs, signal }: { body?: unknown; timeoutMs: number; signal?: AbortSignal },
  ): Promise<Answer> {
    const { payload, headers } = await encoded(body);
    const sent = { connected: false };
    try {
      if (this.over) throw new Error('the connection was closed');
      const answer = await this.exchange(method, path, payload, headers, sent, timeoutMs, signal);
      if (answer.status >= 500 && !(answer.status === 503 && method === 'POST')) this.close();
      return answer;
    } catch (cause) {
      const unsent = this.over || !sent.connected;
      this.close();
      signal?.throwIfAborted();
      throw new LongrunError('sink_unavailable', `${method} ${this.base.origin}${path}: ${words(cause)}`, {
        hint: 'Is the Atropos server running there (`run-api`)? It is tried again.',
        retryable: true,
        details: { unsent },
        cause,
      });
    }
  }

  close(): void {
    this.over = true;
    this.agent.destroy();
  }

  private exchange(
    method: string,
    path: string,
    payload: Buffer | null,
    headers: Record<string, string | number>,
    sent: { connected: boolean },
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const request = this.base.protocol === 'https:' ? requestHttps : requestHttp;
    const url = new URL(this.base.pathname.replace(/\/$/, '') + path, this.base);
    return new Promise<Answer>((resolve, reject) => {
      const asked = request(url, {
        ...{ method, headers, agent: this.agent },
        signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
      });
      asked.once('error', (error) =>
        reject(timeout.aborted ? new Error(`no answer in ${timeoutMs} ms`) : error),
      );
      asked.once('response', (response) => readAll(response).then(resolve, reject));
      asked.once('socket', (socket) => {
        const connected = () => {
          sent.connected = true;
        };
        if (socket.connecting) socket.once('connect', connected);
        else connected();
      });
      asked.end(payload ?? undefined);
    });
  }
}

async function encoded(body: unknown) {
  const headers: Record<string, string | number> = { accept: 'application/json' };
  if (body === undefined) return { payload: null, headers };
  let payload = Buffer.from(JSON.stringify(body), 'utf8');
  headers['content-type'] = 'application/json';
  if (payload.length > PLAIN_BYTES) {
    payload = await gzipped(payload, { level: 1 });
    headers['content-encoding'] = 'gzip';
  }
  headers['content-length'] = payload.length;
  return { payload, headers };
}

async function readAll(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') };
}

function words(cause: unknown): string {
  const { code, message } = cause as { code?: string; message?: string };
  return message || code || String(cause);
}
