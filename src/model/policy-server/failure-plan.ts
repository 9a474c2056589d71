import { badInput } from '../../core/errors.js';
import { mix, mixText, unit } from './mix.js';

/** What can go wrong on demand. */
export const FAILURE_KINDS = [
  /** 429 with `Retry-After`. */
  'rate-limit',
  /** 500. */
  'error',
  /** No answer, ever. */
  'stall',
  /** The connection ends in the middle of the answer. */
  'cut',
  /** 200, and a body that is no JSON. */
  'malformed',
  /** One sampled id is missing: fewer ids than log-probabilities. */
  'wrong-ids',
  /** Text without ids and log-probabilities. */
  'no-ids',
] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

/** A share of all calls, or the first try of the calls with a seed (and of one turn of theirs). */
export interface FailureRule {
  kind: FailureKind;
  share: number;
  seed: number | null;
  turn: number | null;
}

/** In which a caller asks for a failure itself. */
export const FAIL_HEADER = 'x-longrun-fail';

const ACCEPTED = `${FAILURE_KINDS.join(', ')}, each with :<share from 0 to 1>, @<seed> or @<seed>.<turn> behind it`;

/** Reads `error:0.1`, `rate-limit@7`, `cut@7.2`. Throws `bad_input` naming the flag. */
export function parseFailureRule(text: string, flag = '--fail'): FailureRule {
  const match = /^([a-z-]+)(?::(\d+(?:\.\d+)?|\.\d+)|@(-?\d+)(?:\.(\d+))?)?$/.exec(text);
  const kind = FAILURE_KINDS.find((known) => known === match?.[1]);
  const share = Number(match?.[2] ?? 1);
  if (match === null || kind === undefined || share > 1)
    throw badInput(`${flag}: found "${text}", accepted: ${ACCEPTED}.`);
  const [seed, turn] = [match[3], match[4]].map((value) => (value === undefined ? null : Number(value)));
  return { kind, share, seed: seed ?? null, turn: turn ?? null };
}

export interface CallPlace {
  seed: number;
  turn: number;
  task: string;
}

/** Which call fails, and how: the same ones for the same requests in the same order. */
export class FailurePlan {
  private readonly tries = new Map<string, number>();

  constructor(
    private readonly rules: readonly FailureRule[],
    private readonly seed: number,
  ) {}

  /** Of the next call there; what its caller asked for goes first. Throws `bad_input` for an unknown kind. */
  next(place: CallPlace, asked: string | undefined): FailureKind | null {
    const key = `${place.seed}\n${place.turn}\n${place.task}`;
    const earlier = this.tries.get(key) ?? 0;
    this.tries.set(key, earlier + 1);
    if (asked !== undefined) return parseFailureRule(asked, FAIL_HEADER).kind;
    const rule = this.rules.find((one, i) => this.applies(one, i, place, key, earlier));
    return rule?.kind ?? null;
  }

  private applies(rule: FailureRule, index: number, place: CallPlace, key: string, earlier: number): boolean {
    if (rule.seed !== null)
      return earlier === 0 && rule.seed === place.seed && (rule.turn === null || rule.turn === place.turn);
    return unit(mixText(mix(mix(this.seed, index), earlier), key)) < rule.share;
  }
}
