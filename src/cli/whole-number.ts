import { badInput } from '../core/errors.js';

/** The value of a flag that counts something. Throws `bad_input`. */
export function wholeNumber(flag: string, text: string, least = 1): number {
  if (/^\d+$/.test(text) && Number(text) >= least) return Number(text);
  throw badInput(`${flag}: found "${text}", accepted: a whole number of at least ${least}.`);
}
