import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Logger } from 'pino';
import { badInput, LongrunError } from '../core/errors.js';
import { addAccess } from './access.js';
import { answerErrors } from './answer-error.js';
import { addGzip } from './gzip.js';
import { addJsonBodies } from './json-body.js';
import { isLoopbackHost } from './loopback.js';

/** A group of 8 × 4096 tokens has about 0.6 MB; a list of many of them comes in one request. */
const BODY_LIMIT_BYTES = 512 * 1024 * 1024;

export interface ServerOptions {
  logger: Logger;
  /** Where it will listen: anywhere but on the loopback interface it wants a token. */
  host: string;
  /** What `Authorization: Bearer …` has to say; null = nobody is asked. */
  token: string | null;
}

/**
 * The HTTP application that the trainer API and the rollout API share: JSON in and out, gzip both ways, errors as
 * documents that name the place. Throws `bad_input` for a host that others reach, without a token.
 */
export function createServer({ logger, host, token }: ServerOptions): FastifyInstance {
  if (token === null && !isLoopbackHost(host))
    throw badInput(
      `An API on ${host} can be reached by others, and there is no token.`,
      'Name an environment variable that holds one with --token-env, or listen on 127.0.0.1.',
    );
  const app = Fastify({
    loggerInstance: logger as FastifyBaseLogger,
    // A trainer polls several times a second.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    // A HEAD of /batch would hand one out.
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
  });
  app.server.on('connection', (socket) => socket.setNoDelay(true));
  addAccess(app, token, host);
  addGzip(app);
  addJsonBodies(app);
  answerErrors(app);
  return app;
}

/** Answers the URL under which it can be reached, with the port it got for port 0. Throws `already_exists` for a taken port, `sink_refused` for one that cannot be had. */
export async function listenOn(app: FastifyInstance, host: string, port: number): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EADDRINUSE')
      throw new LongrunError('already_exists', `${host}:${port} is in use by another process`, {
        retryable: true,
        hint: 'It is tried again; end the other process, or choose another port.',
        cause,
      });
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EADDRNOTAVAIL' || code === 'EACCES' || code === 'ENOTFOUND')
      throw new LongrunError('sink_refused', `${host}:${port} cannot be listened on (${code})`, {
        hint: 'Name an address of this machine, and a port that this user may open.',
        cause,
      });
    throw cause;
  }
  const address = app.server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound}`;
}
