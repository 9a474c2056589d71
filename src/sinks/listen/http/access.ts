import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { type ForeignAsker, foreignAsker } from '../../../http/foreign-asker.js';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Who may ask: where there is a token, those who say it, from every origin and by every name, as at the original
 * server. Without one, everybody on this machine but pages of other sites: a GET of ours may drop a queue.
 */
export function addAccess(app: FastifyInstance, token: string | null, listensOn: string): void {
  const wanted = token === null ? null : digest(`Bearer ${token}`);
  app.addHook('onRequest', async (request, reply) => {
    const foreign = wanted === null ? foreignAsker(request.headers, listensOn) : null;
    if (foreign !== null) return reply.code(403).send({ error: refusalOf(foreign) });
    reply.header('access-control-allow-origin', '*');
    if (request.method === 'OPTIONS') {
      const asked = request.headers['access-control-request-headers'];
      if (asked !== undefined) reply.header('access-control-allow-headers', asked);
      reply.header('access-control-allow-methods', 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT');
      reply.header('access-control-max-age', '600');
      return reply.code(200).type('text/plain').send('OK');
    }
    if (wanted === null) return;
    // Of equal length, so that the time of the comparison tells nothing.
    if (timingSafeEqual(digest(request.headers.authorization ?? ''), wanted)) return;
    return reply
      .code(401)
      .header('www-authenticate', 'Bearer')
      .send({
        error: {
          code: 'unauthorized',
          message: 'This API wants the header "Authorization: Bearer <token>".',
        },
      });
  });
}

/** A page could start rollouts that cost money, and say which weights are asked, unseen by whoever looks at it. */
function refusalOf({ code, who }: ForeignAsker) {
  if (code === 'foreign_page') {
    const message = `A page of ${who} may not use this API; with a token it may.`;
    return { code, message, path: null, accepted: null };
  }
  const message = `Without a token this API answers to localhost and 127.0.0.1, not to ${JSON.stringify(who)}; with one (--token-env) to any name.`;
  return { code, message, path: null, accepted: 'localhost, 127.0.0.1 or [::1]' };
}
