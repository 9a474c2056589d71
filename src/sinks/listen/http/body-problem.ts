import type { FastifyError, FastifyRequest } from 'fastify';
import { LongrunError } from '../../../core/errors.js';
import { OverLimit, tooLong } from '../../../http/over-limit.js';

/** What the framework and the unpacking say of a body, in words of ours; any other error as it is. */
export function bodyProblem<E extends FastifyError | LongrunError>(
  error: E,
  { routeOptions }: FastifyRequest,
): E | LongrunError {
  if (LongrunError.is(error)) return error;
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLong(routeOptions.bodyLimit);
  if (error.code === 'Z_DATA_ERROR' || error.code === 'Z_BUF_ERROR')
    return new OverLimit(400, `Invalid gzip payload: ${error.message}`);
  return error;
}
