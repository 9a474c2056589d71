import type { ClosesString } from './json-string.js';

const AFTER_KEY = /\s*:/y;
/** Closers up to the end of the JSON, or closers and a comma, or a comma and the next key or value. */
const AFTER_VALUE = /\s*(?:[}\]]+\s*(?:[,}\]]|$)|,\s*(?:"[^"]*"\s*:|[{[\d]|"[^"]*"\s*[,\]])|$)/y;

/**
 * Where a model forgot to escape the quotes within a text: a quote ends it only if JSON goes on
 * behind it as it would behind the end of a text.
 */
export function closesWhereJsonGoesOn(text: string, limit: number): (isKey: boolean) => ClosesString {
  const within = text.slice(0, limit);
  return (isKey) => (at) => {
    const pattern = isKey ? AFTER_KEY : AFTER_VALUE;
    pattern.lastIndex = at + 1;
    return pattern.test(within);
  };
}
