import { LongrunError } from '../core/errors.js';
import { jsonShape } from './json-shape.js';
import { OverLimit } from './over-limit.js';

/** Nothing that is trained on comes near: messages with nested tool arguments have about ten levels. */
export const MAX_JSON_DEPTH = 100;
/** Parsed in a fraction of a second. A group of 16 rollouts of 6000 tokens with their likeliest tokens has fewer. */
export const MAX_JSON_PARTS = 200_000;

/** Bytes that are no JSON. */
export class RefusedJson extends LongrunError {
  constructor(
    readonly reason: 'json_invalid' | 'finite_number',
    message: string,
  ) {
    super('bad_input', message);
  }
}

/**
 * Parses a body. Whoever parses holds up everybody, so what takes long is refused before: the time grows with the
 * length alone. Throws `OverLimit`, `RefusedJson`.
 */
export function parseJson(bytes: Buffer): unknown {
  const { depth, parts, notFinite } = jsonShape(bytes, { depth: MAX_JSON_DEPTH, parts: MAX_JSON_PARTS });
  if (depth > MAX_JSON_DEPTH)
    throw new OverLimit(
      400,
      `Lists and objects in the body are nested more than ${MAX_JSON_DEPTH} deep, which is the limit.`,
    );
  if (parts > MAX_JSON_PARTS)
    throw new OverLimit(
      400,
      `The body has more than ${MAX_JSON_PARTS} lists, objects and texts, which is the limit.`,
      'Send it in several requests.',
    );
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    if (notFinite !== null)
      throw new RefusedJson('finite_number', `${notFinite} is no number that could be trained on`);
    throw new RefusedJson('json_invalid', (cause as Error).message);
  }
}
