import { promisify } from 'node:util';
import { constants, createGunzip, type Gunzip, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyRequest, RequestPayload } from 'fastify';
import { tooLong } from '../../../http/over-limit.js';

/** As the original server's. */
const SMALLEST_BYTES = 1_000;

const compress = promisify(gzip);

/** Requests with `Content-Encoding: gzip` are read; answers above 1000 bytes are compressed for who accepts that. */
export function addGzip(app: FastifyInstance): void {
  app.addHook('preParsing', async (request, reply, payload) => {
    if (!/\bgzip\b/i.test(request.headers['content-encoding'] ?? '')) return payload;
    const gunzip = createGunzip();
    limitPacked(request, payload, gunzip);
    // Once it is answered nobody wants the rest: of a body over the limit no more than that is unpacked.
    reply.raw.once('close', () => gunzip.destroy());
    payload.on('error', (error) => gunzip.destroy(error));
    delete request.headers['content-encoding'];
    // Lengths are those of the compressed bytes; the limit of a body holds for what comes out, too.
    delete request.headers['content-length'];
    // With neither a length nor a type a request counts as one without a body.
    request.headers['content-type'] ??= 'application/json';
    return payload.pipe(gunzip);
  });
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
    reply.header('vary', 'Accept-Encoding');
    if (Buffer.byteLength(payload) < SMALLEST_BYTES) return payload;
    if (!/\bgzip\b/i.test(String(request.headers['accept-encoding'] ?? ''))) return payload;
    reply.header('content-encoding', 'gzip').removeHeader('content-length');
    // Token ids and log-probabilities hardly get smaller at the slower levels.
    return compress(payload, { level: constants.Z_BEST_SPEED });
  });
}

/** What unpacks to nothing has a length, too. */
function limitPacked(
  { routeOptions, headers }: FastifyRequest,
  payload: RequestPayload,
  gunzip: Gunzip,
): void {
  const { bodyLimit } = routeOptions;
  if (Number(headers['content-length']) > bodyLimit) throw tooLong(bodyLimit);
  let received = 0;
  payload.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > bodyLimit) gunzip.destroy(tooLong(bodyLimit));
  });
}
