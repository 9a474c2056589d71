import { LongrunError } from '../core/errors.js';

/** A body that is not looked at further: 413 for its length, 400 for how it is built. */
export class OverLimit extends LongrunError {
  constructor(
    readonly statusCode: 400 | 413,
    message: string,
    hint?: string,
  ) {
    super('bad_input', message, hint === undefined ? {} : { hint });
  }
}

/** Longer than the route takes, as it was sent or once it was unpacked. */
export const tooLong = (limitBytes: number): OverLimit =>
  new OverLimit(
    413,
    `The body has more than ${limitBytes} bytes, which is the limit here; it holds for what is unpacked, too.`,
    'Send less at once.',
  );
