import type { FastifyInstance } from 'fastify';
import { isLoopbackHost } from '../create-server.js';
import { errorAnswerSchema } from './answers.schema.js';
import { send } from './send.js';

/**
 * Where nobody is asked for a token, a page of any site that somebody on this machine looks at could start rollouts
 * that cost money: browsers say where a page comes from, trainers do not.
 */
export function refuseForeignPages(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    const { origin, authorization } = request.headers;
    if (origin === undefined || authorization !== undefined || isLocal(origin)) return;
    reply.removeHeader('access-control-allow-origin');
    return send(reply.code(403), errorAnswerSchema, {
      error: {
        code: 'foreign_page',
        message: `A page of ${origin} may not use this API; with a token it may.`,
        path: null,
        accepted: null,
      },
    });
  });
}

function isLocal(origin: string): boolean {
  return URL.canParse(origin) && isLoopbackHost(new URL(origin).hostname.replace(/^\[|\]$/g, ''));
}
