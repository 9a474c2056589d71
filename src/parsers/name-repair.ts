/** A name that is one of the tools', and how it was made one; `near`: by likeness only. */
export interface RepairedName {
  name: string;
  near: boolean;
}

const LONGEST = 100;
/** One slip in so many characters still means the same tool. */
const CHARACTERS_PER_SLIP = 5;
const MAX_SUFFIXES = 2;

/**
 * The tool that a name is meant to be: written in another case, with other separators, in camel
 * case, behind a namespace, with `_tool` at its end, doubled, or with a slip. Null when none or
 * several tools could be meant.
 */
export function repairName(name: string, known: readonly string[]): RepairedName | null {
  if (known.includes(name)) return { name, near: false };
  if (name.length > LONGEST || known.length === 0) return null;
  const byKey = new Map<string, string | null>();
  for (const tool of known) byKey.set(keyOf(tool), byKey.has(keyOf(tool)) ? null : tool);
  for (const candidate of candidates(keyOf(name))) {
    const tool = byKey.get(candidate);
    if (tool) return { name: tool, near: false };
  }
  const near = nearest(keyOf(name), byKey);
  return near === null ? null : { name: near, near: true };
}

/** `readFile`, `Read-File` and `read file` are `read_file`. */
function keyOf(name: string): string {
  return name
    .trim()
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[-\s.:/]+/g, '_')
    .replace(/[^A-Za-z0-9_]/g, '')
    .toLowerCase();
}

function* candidates(key: string): Generator<string> {
  yield key;
  const half = key.length / 2;
  if (key.slice(0, half) === key.slice(half)) yield key.slice(0, half);
  if (key[Math.floor(half)] === '_' && key.slice(0, Math.floor(half)) === key.slice(Math.floor(half) + 1))
    yield key.slice(0, Math.floor(half));
  let short = key;
  for (let i = 0; i < MAX_SUFFIXES && /_?tool$/.test(short); i++) {
    short = short.replace(/_?tool$/, '');
    yield short;
  }
  yield `${key}_tool`;
  if (key.startsWith('functions_')) yield key.slice('functions_'.length);
}

function nearest(key: string, byKey: ReadonlyMap<string, string | null>): string | null {
  const allowed = Math.floor(key.length / CHARACTERS_PER_SLIP);
  const close = [...byKey].filter(([candidate]) => distance(candidate, key, allowed) <= allowed);
  return close.length === 1 ? (close[0]?.[1] ?? null) : null;
}

/** Levenshtein's distance, at least as far as `most`. */
function distance(a: string, b: string, most: number): number {
  if (most === 0 || Math.abs(a.length - b.length) > most) return a === b ? 0 : most + 1;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(same, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
