import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Logger } from 'pino';
import { badInput, LongrunError } from '../../../core/errors.js';
import { SECOND_MS } from '../../../core/time.js';
import { isLoopbackHost } from '../../../http/loopback-host.js';
import { addAccess } from './access.js';
import { answerErrors } from './answer-error.js';
import { limitBodiesAtOnce } from './body-room.js';
import { addGzip } from './gzip.js';
import { addJsonBodies } from './json-body.js';

/** Of requests that only say something; routes that take training data say their own. */
const BODY_LIMIT_BYTES = 64 * 1024;
/**
 * Of routes that take training data: a group of 8 rollouts of 32,000 tokens with log-probabilities and advantages has
 * 13 MB. Whatever is in them, reading so much takes less than a second of a processor; everybody waits for it.
 */
export const DATA_LIMIT_BYTES = 16 * 1024 * 1024;

/** How long a client may take. An answer may be long in coming: whoever waits for a group says how long. */
export interface ClientLimits {
  /** To say what it wants. */
  headersMs: number;
  /** To send all of it. */
  requestMs: number;
  /** Without taking anything of an answer. */
  sendMs: number;
  /** How often that is looked at. */
  checkMs: number;
  /** At once. Files and sockets come from the same supply. */
  connections: number;
  /** For bodies that are read at once, of all clients together. */
  bodyBytes: number;
}

const CLIENT_LIMITS: ClientLimits = {
  headersMs: 15 * SECOND_MS,
  requestMs: 120 * SECOND_MS,
  sendMs: 60 * SECOND_MS,
  checkMs: 5 * SECOND_MS,
  connections: 1_000,
  bodyBytes: 8 * DATA_LIMIT_BYTES,
};

export interface ServerOptions {
  logger: Logger;
  /** Where it will listen: anywhere but on the loopback interface it wants a token. */
  host: string;
  /** What `Authorization: Bearer …` has to say; null = nobody is asked. */
  token: string | null;
  limits?: Partial<ClientLimits>;
}

/**
 * The HTTP application that the trainer API and the rollout API share: JSON in and out, gzip both ways, errors as
 * documents that name the place. Throws `bad_input` for a host that others reach, without a token.
 */
export function createServer(options: ServerOptions): FastifyInstance {
  const { logger, host, token } = options;
  if (token === null && !isLoopbackHost(host))
    throw badInput(
      `An API on ${host} can be reached by others, and there is no token.`,
      'Name an environment variable that holds one with --token-env, or listen on 127.0.0.1.',
    );
  const limits = { ...CLIENT_LIMITS, ...options.limits };
  const app = Fastify({
    loggerInstance: logger as FastifyBaseLogger,
    // A trainer polls several times a second.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    // A HEAD of /batch would hand one out.
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    requestTimeout: limits.requestMs,
    http: { headersTimeout: limits.headersMs, connectionsCheckingInterval: limits.checkMs },
  });
  app.server.maxConnections = limits.connections;
  app.server.on('connection', (socket) => socket.setNoDelay(true));
  addAccess(app, token, host);
  limitBodiesAtOnce(app, limits.bodyBytes);
  addGzip(app);
  addJsonBodies(app);
  cutSlowReaders(app, limits.sendMs);
  answerErrors(app);
  return app;
}

/** An answer that nobody takes stays in memory. */
function cutSlowReaders(app: FastifyInstance, sendMs: number): void {
  app.addHook('onSend', async (_request, { raw }, payload) => {
    raw.setTimeout(sendMs, () => raw.destroy());
    return payload;
  });
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
