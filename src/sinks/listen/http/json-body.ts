import type { FastifyInstance } from 'fastify';
import { parseJson, RefusedJson } from '../../../http/parse-json.js';
import { RefusedBody } from '../refused-body.js';

/**
 * Bodies are JSON, whatever they call themselves; a GET may have one, as the original's `/status-env` wants it.
 * What cannot be read is refused with 422; NaN and Infinity, which are no JSON but which Python writes, by name.
 */
export function addJsonBodies(app: FastifyInstance): void {
  app.addHttpMethod('GET', { hasBody: true, overrideExisting: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseBody(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}

function parseBody(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  try {
    return parseJson(body);
  } catch (error) {
    if (!(error instanceof RefusedJson)) throw error;
    throw new RefusedBody([{ type: error.reason, loc: ['body'], msg: error.message }]);
  }
}
