import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Who may ask: every origin, as at the original server, and, where there is a token, those who say it. */
export function addAccess(app: FastifyInstance, token: string | null): void {
  const wanted = token === null ? null : digest(`Bearer ${token}`);
  app.addHook('onRequest', async (request, reply) => {
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
