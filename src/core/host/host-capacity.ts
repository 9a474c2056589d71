import { badInput } from '../errors.js';

/** Sandboxes a host holds at once: one number for every kind, or a number for each kind that is named. */
export type HostCapacity = number | Readonly<Record<string, number>>;

const ACCEPTED = 'accepted: a whole number of at least 1, or one for each kind, as docker=8,bubblewrap=16';

/** Reads `8` or `docker=8,bubblewrap=16`; kinds are the names of drivers. Throws `bad_input`. */
export function parseCapacity(flag: string, text: string, kinds: readonly string[]): HostCapacity {
  if (!text.includes('=')) return count(flag, text, text);
  const found: Record<string, number> = {};
  for (const part of text.split(',')) {
    const [kind = '', number = '', ...rest] = part.split('=').map((word) => word.trim());
    if (rest.length > 0) throw badInput(`${flag}: found "${text}", ${ACCEPTED}.`);
    if (!kinds.includes(kind))
      throw badInput(`${flag}: found the kind "${kind}", accepted kinds: ${kinds.join(', ')}.`);
    if (Object.hasOwn(found, kind)) throw badInput(`${flag}: found the kind "${kind}" twice.`);
    found[kind] = count(flag, text, number);
  }
  return found;
}

function count(flag: string, text: string, number: string): number {
  if (/^\d+$/.test(number) && Number(number) >= 1) return Number(number);
  throw badInput(`${flag}: found "${text}", ${ACCEPTED}.`);
}
