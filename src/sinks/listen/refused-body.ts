import { LongrunError } from '../../core/errors.js';

/** One thing that is wrong with a request: where, in the form in which FastAPI says it. */
export interface BodyProblem {
  type: string;
  loc: (string | number)[];
  msg: string;
}

/** A request that is refused with 422 and the places at fault. */
export class RefusedBody extends LongrunError {
  constructor(readonly problems: readonly BodyProblem[]) {
    super('bad_input', problems.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; '));
  }
}
