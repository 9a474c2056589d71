import type { ServerResponse } from 'node:http';
import type { FailureKind } from './failure-plan.js';

/** Failures that are told apart by what comes over the line, not by what is in the answer. */
export type LineFailure = Exclude<FailureKind, 'wrong-ids' | 'no-ids'>;

export const isLineFailure = (kind: FailureKind | null): kind is LineFailure =>
  kind !== null && kind !== 'wrong-ids' && kind !== 'no-ids';

/** Fails an answer: `body` is what would have been sent. A stall ends when the caller gives up or the server closes. */
export function playFailure(
  kind: LineFailure,
  response: ServerResponse,
  body: string,
  retryAfterSec: number,
): void {
  const json = { 'content-type': 'application/json' };
  const refuse = (status: number, message: string, headers: Record<string, string> = {}) =>
    response
      .writeHead(status, { ...json, ...headers })
      .end(JSON.stringify({ error: { message, code: null } }));
  switch (kind) {
    case 'rate-limit':
      refuse(429, 'Too many requests', { 'retry-after': String(retryAfterSec) });
      return;
    case 'error':
      refuse(500, 'Something broke');
      return;
    case 'malformed':
      response.writeHead(200, json).end(`${body.slice(0, body.length / 2)}}{`);
      return;
    case 'cut':
      response.writeHead(200, { ...json, 'content-length': Buffer.byteLength(body) });
      response.write(body.slice(0, body.length / 2), () => response.destroy());
      return;
    case 'stall':
      return;
  }
}
