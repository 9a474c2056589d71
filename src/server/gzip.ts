import { promisify } from 'node:util';
import { constants, createGunzip, gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';

/** As the original server's. */
const SMALLEST_BYTES = 1_000;

const compress = promisify(gzip);

/** Requests with `Content-Encoding: gzip` are read; answers above 1000 bytes are compressed for who accepts that. */
export function addGzip(app: FastifyInstance): void {
  app.addHook('preParsing', async (request, _reply, payload) => {
    if (!/\bgzip\b/i.test(request.headers['content-encoding'] ?? '')) return payload;
    delete request.headers['content-encoding'];
    // Lengths are those of the compressed bytes; the limit of a body holds for what comes out.
    delete request.headers['content-length'];
    const gunzip = createGunzip();
    payload.on('error', (error) => gunzip.destroy(error));
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
