import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { isLoopbackHost } from './loopback.js';

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * Who may ask: where there is a token, those who say it, from every origin, as at the original server. Without one,
 * everybody on this machine but pages of other sites: browsers say where a page comes from, trainers do not. What a
 * page embeds is asked for without an origin, and a GET of ours may drop a queue: browsers mark that otherwise. A name
 * that somebody has pointed at this machine makes a page of theirs look like one of ours (DNS rebinding): who asks by
 * another name than that of this machine is refused, too.
 */
export function addAccess(app: FastifyInstance, token: string | null, listensOn: string): void {
  const wanted = token === null ? null : digest(`Bearer ${token}`);
  app.addHook('onRequest', async (request, reply) => {
    const { origin, host } = request.headers;
    if (wanted === null && !isOwnName(host, listensOn))
      return reply.code(403).send({ error: foreignHost(host ?? '') });
    if (wanted === null && isForeign(origin, request.headers['sec-fetch-site']))
      return reply.code(403).send({ error: foreignPage(origin ?? 'another site') });
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

/** It could start rollouts that cost money, and say which weights are asked, unseen by whoever looks at it. */
function foreignPage(origin: string) {
  const message = `A page of ${origin} may not use this API; with a token it may.`;
  return { code: 'foreign_page', message, path: null, accepted: null };
}

function foreignHost(host: string) {
  const message = `Without a token this API answers to localhost and 127.0.0.1, not to ${JSON.stringify(host)}; with one (--token-env) to any name.`;
  return { code: 'foreign_host', message, path: null, accepted: 'localhost, 127.0.0.1 or [::1]' };
}

/** Browsers always say whom they mean to ask; what does not (HTTP/1.0) is none. */
function isOwnName(host: string | undefined, listensOn: string): boolean {
  if (host === undefined) return true;
  if (!URL.canParse(`http://${host}`)) return false;
  const name = bareHost(new URL(`http://${host}`));
  return isLoopbackHost(name) || name === listensOn.toLowerCase();
}

function isForeign(origin: string | undefined, site: unknown): boolean {
  if (origin !== undefined) return !isLocal(origin);
  return site === 'cross-site' || site === 'same-site';
}

function isLocal(origin: string): boolean {
  return URL.canParse(origin) && isLoopbackHost(bareHost(new URL(origin)));
}

const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');
