import type { CountTokens } from './count-tokens.js';

const CUT = ' […]';

/** The longest start of a text that has at most so many tokens, marked where it was cut; empty where nothing fits. */
export function fitText(text: string, maxTokens: number, count: CountTokens): string {
  if (count(text) <= maxTokens) return text;
  const characters = [...text];
  const cut = (length: number): string => characters.slice(0, length).join('').trimEnd() + CUT;
  let low = 0;
  let high = characters.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (count(cut(middle)) <= maxTokens) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? '' : cut(low);
}
