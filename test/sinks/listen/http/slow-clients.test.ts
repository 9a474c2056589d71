import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ClientLimits, createServer, listenOn } from '../../../../src/sinks/listen/http/index.js';
import { threat } from '../../../support/threat.js';
import { until } from '../../../support/until.js';

vi.setConfig({ testTimeout: 60_000 });

const SHORT: ClientLimits = {
  headersMs: 300,
  requestMs: 600,
  sendMs: 300,
  checkMs: 50,
  connections: 20,
  bodyBytes: 100_000,
};
const LONG_ANSWER_MS = 1_500;

async function serving(limits: Partial<ClientLimits> = {}): Promise<{ app: FastifyInstance; port: number }> {
  const logger = pino({ level: 'silent' });
  const app = createServer({ logger, host: '127.0.0.1', token: null, limits: { ...SHORT, ...limits } });
  app.post('/echo', (request) => ({ got: request.body }));
  app.get('/late', async () => {
    await sleep(LONG_ANSWER_MS);
    return { late: true };
  });
  app.get('/large', (_request, reply) => reply.send(Buffer.alloc(200_000_000)));
  onTestFinished(() => app.close());
  const url = await listenOn(app, '127.0.0.1', 0);
  return { app, port: Number(new URL(url).port) };
}

/** What came on a connection until it ended. */
class Connection {
  text = '';
  ended = false;
  private constructor(readonly socket: Socket) {
    socket.on('data', (chunk) => {
      this.text += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.ended = true;
    });
    onTestFinished(() => void socket.destroy());
  }

  static async open(port: number): Promise<Connection> {
    const socket = connect(port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    return new Connection(socket);
  }

  /** A byte now and then, for as long as anybody listens. */
  async drip(text: string): Promise<void> {
    for (const character of text) {
      if (this.ended) return;
      this.socket.write(character);
      await sleep(50);
    }
  }
}

describe(threat('a client of the HTTP API', 'connections that others need'), () => {
  it('who says nothing, or takes long to say what it wants, is cut off', async () => {
    const { port } = await serving();
    const silent = await Connection.open(port);
    const slow = await Connection.open(port);
    await slow.drip(`GET /late HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: ${'x'.repeat(2_000)}`);
    await until(() => slow.ended && silent.ended, { what: 'both are cut off' });
    expect(slow.text).toContain('408');
  });

  it('who takes long to send a body is cut off, with and without a length', async () => {
    const { port } = await serving();
    for (const framing of ['content-length: 2000', 'transfer-encoding: chunked', 'content-encoding: gzip']) {
      const slow = await Connection.open(port);
      const length = framing.startsWith('content-encoding') ? 'content-length: 2000\r\n' : '';
      slow.socket.write(`POST /echo HTTP/1.1\r\nhost: 127.0.0.1\r\n${length}${framing}\r\n\r\n`);
      await slow.drip(framing.endsWith('chunked') ? `7d0\r\n${'1'.repeat(2_000)}` : '1'.repeat(2_000));
      await until(() => slow.ended, { what: `${framing} is cut off` });
    }
  });

  it('who takes nothing of an answer is cut off, and the answer is let go', async () => {
    const { app, port } = await serving();
    const slow = await Connection.open(port);
    slow.socket.pause();
    slow.socket.write('GET /large HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
    const connections = () =>
      new Promise<number>((resolve) => app.server.getConnections((_, n) => resolve(n)));
    await until(async () => (await connections()) === 0, { what: 'the connection is closed' });
  });

  it('who waits for an answer that is long in coming gets it', async () => {
    const { port } = await serving();
    const answer = await fetch(`http://127.0.0.1:${port}/late`);
    expect(await answer.json()).toEqual({ late: true });
  });

  it('connections beyond so many are turned away, and those that are there are answered', async () => {
    const { port } = await serving({ connections: 3, headersMs: 30_000, requestMs: 30_000 });
    const first = await Connection.open(port);
    const others = [await Connection.open(port), await Connection.open(port)];
    const extra = await Connection.open(port);
    await until(() => extra.ended, { what: 'the fourth is turned away' });
    first.socket.write('POST /echo HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 1\r\n\r\n1');
    await until(() => first.text.includes('{"got":1}'));
    expect(others.map(({ ended }) => ended)).toEqual([false, false]);
  });

  it('bodies that would not fit into memory together are read one after the other, and others are answered', async () => {
    const { port } = await serving({ headersMs: 30_000, requestMs: 30_000 });
    const begin = (length: number) =>
      `POST /echo HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n`;
    const whole = `${begin(60_000)}"${'x'.repeat(59_998)}"`;
    const slow = await Connection.open(port);
    slow.socket.write(`${begin(60_000)}"`);
    await sleep(100);
    const [first, gone, last] = [
      await Connection.open(port),
      await Connection.open(port),
      await Connection.open(port),
    ] as const;
    for (const { socket } of [first, gone, last]) {
      socket.write(whole);
      await sleep(50);
    }
    gone.socket.destroy();
    const small = await fetch(`http://127.0.0.1:${port}/late`);
    expect([small.status, first.text, last.text]).toEqual([200, '', '']);
    slow.socket.destroy();
    await until(() => first.ended && last.ended, { what: 'those that waited are answered' });
    for (const { text } of [first, last]) expect(text).toContain('200 OK');
  });
});
