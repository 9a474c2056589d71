import type { z } from 'zod';
import { RefusedBody } from '../refused-body.js';

/** What a request says, by its schema. Throws `RefusedBody` naming each place at fault. */
export function checkRequest<S extends z.ZodType>(
  schema: S,
  value: unknown,
  place: 'body' | 'query',
): z.output<S> {
  if (place === 'body' && value === undefined)
    throw new RefusedBody([{ type: 'missing', loc: [place], msg: 'Field required' }]);
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new RefusedBody(
    parsed.error.issues.map((issue) => ({
      type: issue.code,
      loc: [place, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))],
      msg: issue.message,
    })),
  );
}
