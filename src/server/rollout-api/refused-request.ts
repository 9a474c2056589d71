import { LongrunError } from '../../core/errors.js';

/** A request that is refused with 400: what is at fault, and what would be accepted there. */
export class RefusedRequest extends LongrunError {
  constructor(
    message: string,
    /** A field of the request in its own words, `policy.base_url`; null = the whole. */
    readonly path: string | null,
    readonly accepted: string | null,
  ) {
    super('bad_input', message);
  }
}
