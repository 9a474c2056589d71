import { badInput } from '../errors.js';

const WORDS: Readonly<Record<string, number>> = { up: 1, '👍': 1, down: 0, '👎': 0 };
/** Variation selectors and skin tones, which terminals add to a thumb. */
const TRIMMINGS = /[\u{fe0e}\u{fe0f}\u{1f3fb}-\u{1f3ff}]/gu;

/** What a person's word is worth: up or 👍 1.0, down or 👎 0.0, a number as it is. Throws `bad_input`. */
export function feedbackValue(text: string): number {
  const word = text.trim().replace(TRIMMINGS, '').toLowerCase();
  const known = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
  if (known !== undefined) return known;
  if (/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/.test(word) && Number.isFinite(Number(word)))
    return Number(word);
  throw badInput(
    `feedback: found "${text}", accepted: up, down, 👍, 👎 or a number.`,
    'up and 👍 are 1, down and 👎 are 0; words belong into --note.',
  );
}
