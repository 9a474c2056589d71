import type { IncomingMessage } from 'node:http';
import { tooLong } from './over-limit.js';
import { parseJson } from './parse-json.js';

/** A long conversation, or a prompt of a million ids, fits. */
const LIMIT_BYTES = 16 * 1024 * 1024;

/** The body of a request. Throws `OverLimit`, `RefusedJson`. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > LIMIT_BYTES) throw tooLong(LIMIT_BYTES);
    chunks.push(chunk);
  }
  return parseJson(Buffer.concat(chunks, length));
}
