import type { FastifyError, FastifyInstance } from 'fastify';
import { type ErrorCode, LongrunError } from '../../../core/errors.js';
import { OverLimit } from '../../../http/over-limit.js';
import { type BodyProblem, RefusedBody } from '../refused-body.js';
import { bodyProblem } from './body-problem.js';

const STATUS: Partial<Record<ErrorCode, number>> = {
  bad_input: 422,
  not_found: 404,
  already_exists: 409,
  cancelled: 409,
  fenced: 503,
  store_unavailable: 503,
  store_full: 503,
  sink_unavailable: 503,
};
const RETRY_AFTER_SECONDS = 5;

interface Answer {
  status: number;
  code: string;
  message: string;
  hint: string | undefined;
  detail: readonly BodyProblem[] | string;
}

/**
 * Errors as documents: `error` has a code and says what is wrong, `detail` is what a client of FastAPI looks at.
 * Only what was expected is told; the rest is logged and called internal.
 */
export function answerErrors(app: FastifyInstance): void {
  app.setNotFoundHandler((request, reply) =>
    reply.code(404).send(
      documentOf({
        status: 404,
        code: 'not_found',
        message: `There is no ${request.method} ${request.url.split('?')[0]}`,
        hint: undefined,
        detail: 'Not Found',
      }),
    ),
  );
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const answer = answerTo(bodyProblem(error, request));
    if (answer.status >= 500) request.log.error({ err: error, url: request.url }, 'a request failed');
    if (answer.status === 503) reply.header('retry-after', String(RETRY_AFTER_SECONDS));
    return reply.code(answer.status).type('application/json').send(documentOf(answer));
  });
}

const documentOf = ({ code, message, hint, detail }: Answer) => ({
  detail,
  error: { code, message, ...(hint === undefined ? {} : { hint }) },
});

function answerTo(error: FastifyError | LongrunError): Answer {
  if (LongrunError.is(error)) {
    const detail = error instanceof RefusedBody ? error.problems : error.message;
    const { code, message, hint } = error;
    const status = error instanceof OverLimit ? error.statusCode : (STATUS[code] ?? 500);
    return { status, code, message, hint, detail };
  }
  const { message } = error;
  const status = error.statusCode ?? 500;
  if (status >= 500)
    return {
      status: 500,
      code: 'internal',
      message: 'The server failed.',
      hint: 'Its log says why.',
      detail: 'Internal Server Error',
    };
  return { status, code: 'bad_input', message, hint: undefined, detail: message };
}
