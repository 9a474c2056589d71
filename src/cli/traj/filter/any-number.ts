import { badInput } from '../../../core/errors.js';

/** The value of a flag that measures something; null where it is not given. Throws `bad_input`. */
export function anyNumber(flag: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value)) return value;
  throw badInput(`${flag}: found "${text}", accepted: a number.`);
}
