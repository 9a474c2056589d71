import type { Source } from './call-format.js';

/** How often the text may be read again, in all, after readings that came to nothing. */
const REREADS = 4;
const SPARE_CHARACTERS = 100_000;

/** Remembers every place it found, so that however often and from wherever it is asked, each needle costs one pass. Nothing before `start` is found. */
export function createSource(text: string, start = 0): Source {
  const hits = new Map<string, Hits>();
  return {
    text,
    rereads: { left: text.length * REREADS + SPARE_CHARACTERS },
    find(needle, from) {
      const known = hits.get(needle) ?? { at: [], next: start, last: 0 };
      hits.set(needle, known);
      return firstFrom(text, needle, known, from);
    },
  };
}

interface Hits {
  at: number[];
  /** Where the search goes on; -1 once the text is through. */
  next: number;
  /** Index of the last answer: mostly the next one is it again, or the one behind it. */
  last: number;
}

function firstFrom(text: string, needle: string, known: Hits, from: number): number {
  while (known.next !== -1 && (known.at.at(-1) ?? -1) < from) {
    const hit = text.indexOf(needle, known.next);
    if (hit !== -1) known.at.push(hit);
    known.next = hit === -1 ? -1 : hit + 1;
  }
  for (let index = known.last; index <= known.last + 1; index++)
    if (isFirst(known.at, index, from)) {
      known.last = index;
      return known.at[index] as number;
    }
  let low = 0;
  let high = known.at.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((known.at[middle] as number) < from) low = middle + 1;
    else high = middle;
  }
  known.last = low;
  return known.at[low] ?? -1;
}

function isFirst(at: readonly number[], index: number, from: number): boolean {
  return (at[index] ?? -1) >= from && (index === 0 || (at[index - 1] as number) < from);
}

/** The first of several needles at or after `from`; `text.length` where there is none. */
export function findFirst(source: Source, needles: readonly string[], from: number): number {
  let first = source.text.length;
  for (const needle of needles) {
    const at = source.find(needle, from);
    if (at !== -1 && at < first) first = at;
  }
  return first;
}

/** The first position at or after `at` that is no white space. */
export function skipSpace(text: string, at: number): number {
  let next = at;
  while (next < text.length && isSpace(text.charCodeAt(next))) next += 1;
  return next;
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}
