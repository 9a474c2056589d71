import type { FastifyError, FastifyInstance } from 'fastify';
import { type ErrorCode, LongrunError } from '../../core/errors.js';
import { OverLimit } from '../../http/over-limit.js';
import { bodyProblem } from '../../sinks/listen/http/body-problem.js';
import { RefusedBody } from '../../sinks/listen/refused-body.js';
import { errorAnswerSchema } from './answers.schema.js';
import { RefusedRequest } from './refused-request.js';
import { send } from './send.js';

const STATUS: Partial<Record<ErrorCode, number>> = {
  bad_input: 400,
  model_unknown: 400,
  task_invalid: 400,
  not_found: 404,
  already_exists: 409,
  store_unavailable: 503,
  store_full: 503,
  temporal_unreachable: 503,
  cancelled: 503,
};
const RETRY_AFTER_SEC = 5;

/** Errors of the rollout API as documents; what was not expected is logged and called internal. */
export function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((thrown: FastifyError, request, reply) => {
    const error = bodyProblem(thrown, request);
    const known = LongrunError.is(error) ? error : null;
    const status = statusOf(error);
    if (status === 500) request.log.error({ err: error, url: request.url }, 'a request failed');
    if (status === 503) reply.header('retry-after', String(RETRY_AFTER_SEC));
    const told = status === 500 ? 'The server failed; its log says why.' : messageOf(error);
    const { path, accepted } = error instanceof RefusedRequest ? error : { path: null, accepted: null };
    const code = status === 500 ? 'internal' : (known?.code ?? 'bad_input');
    return send(reply.code(status), errorAnswerSchema, { error: { code, message: told, path, accepted } });
  });
}

function statusOf(error: FastifyError | LongrunError): number {
  if (error instanceof OverLimit) return error.statusCode;
  if (LongrunError.is(error)) return STATUS[error.code] ?? 500;
  return Math.min(error.statusCode ?? 500, 500);
}

function messageOf(error: FastifyError | LongrunError): string {
  if (error instanceof RefusedBody) return `the body is no JSON: ${error.problems[0]?.msg ?? ''}`;
  const hint = LongrunError.is(error) ? error.hint : undefined;
  return hint === undefined ? error.message : `${error.message} ${hint}`;
}
