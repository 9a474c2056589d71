import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Handout, Listener } from '../index.js';
import { checkRequest } from './check-request.js';
import { batchQuerySchema } from './trainer-requests.schema.js';

/** `GET /batch[?ack=<batch>]` */
export function addBatchRoute(app: FastifyInstance, listener: Listener): void {
  const lastSent = new WeakMap<Socket, Handout>();
  // A connection that is reset behind an answer had bytes of it that nobody read.
  app.server.on('connection', (socket: Socket) =>
    socket.on('error', () => {
      const handout = lastSent.get(socket);
      if (handout !== undefined) listener.wasCut(handout);
    }),
  );
  app.get('/batch', async (request, reply) => {
    const { ack } = checkRequest(batchQuerySchema, request.query, 'query');
    const answer = await listener.next(ack ?? null);
    if (answer.kind === 'unregistered')
      return {
        status: 'error',
        message: 'Trainer not registered. Call /register first.',
        batch: [],
      };
    if (answer.kind === 'none') return { batch: null };
    watchSending(reply, listener, answer.handout);
    if (request.raw.socket !== null) lastSent.set(request.raw.socket, answer.handout);
    const content = await listener.content(answer.handout).catch((error: unknown) => {
      listener.wasCut(answer.handout);
      throw error;
    });
    return reply.type('application/json').send(batchJson(content, answer.handout.batch));
  });
}

function watchSending({ raw }: FastifyReply, listener: Listener, handout: Handout): void {
  // `finish` is said of a connection that broke, too, and the response has let go of its socket by then.
  const { socket } = raw;
  raw.once('finish', () => {
    const whole = socket !== null && !socket.destroyed && socket.errored === null;
    if (whole && raw.statusCode === 200) listener.wasSent(handout);
    else listener.wasCut(handout);
  });
  raw.once('close', () => {
    if (!raw.writableFinished) listener.wasCut(handout);
  });
  // Closed before anybody listened for it.
  if (raw.destroyed || raw.closed) listener.wasCut(handout);
}

function batchJson(items: readonly Buffer[], batch: number): Buffer {
  const parts = items.flatMap((item, i) => (i === 0 ? [item] : [COMMA, item]));
  return Buffer.concat([Buffer.from('{"batch":['), ...parts, Buffer.from(`],"batch_id":${batch}}`)]);
}

const COMMA = Buffer.from(',');
