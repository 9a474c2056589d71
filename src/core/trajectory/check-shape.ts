import type { z } from 'zod';
import { LongrunError } from '../errors.js';

/** The value as the schema has it, defaults filled in. Errors: `record_invalid`, naming the field as it stands on disk. */
export function checkShape<S extends z.ZodType>(schema: S, value: unknown, what: string): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, 5).map(({ path, message }) => {
    const field = path.map((part) => String(part).replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)).join('.');
    return `${field || '(whole)'}: ${message}`;
  });
  throw new LongrunError('record_invalid', `${what} is not valid: ${issues.join('; ')}`, {
    hint: 'The value does not have the shape of agoge’s schema.',
    details: { issues },
  });
}
