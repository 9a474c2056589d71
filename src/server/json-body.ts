import type { FastifyInstance } from 'fastify';
import { RefusedBody } from '../sinks/listen/refused-body.js';

/** Outside of strings, these are numbers to Python and nothing at all to JSON. */
const NOT_JSON = /"(?:[^"\\]|\\.)*"|(-?Infinity|NaN)/g;

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
  const text = body.toString('utf8');
  try {
    return JSON.parse(text);
  } catch (cause) {
    for (const [, token] of text.matchAll(NOT_JSON))
      if (token !== undefined)
        throw new RefusedBody([
          { type: 'finite_number', loc: ['body'], msg: `${token} is no number that could be trained on` },
        ]);
    throw new RefusedBody([{ type: 'json_invalid', loc: ['body'], msg: (cause as Error).message }]);
  }
}
