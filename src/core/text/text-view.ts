/** Which tokens of a text mean something else, and what; an empty text = they mean nothing. Never longer than the token. */
export interface Decoding {
  token: RegExp;
  read(token: string): string;
}

/** A text as it reads when some tokens of it are decoded, and where each character of that comes from. */
export interface TextView {
  text: string;
  startOf(index: number): number;
  endOf(index: number): number;
}

export function viewOf(text: string, decode: Decoding | null): TextView {
  if (decode === null) return { text, startOf: (index) => index, endOf: (index) => index + 1 };
  const starts = new Int32Array(text.length);
  const ends = new Int32Array(text.length);
  const parts: string[] = [];
  let length = 0;
  let read = 0;
  const copyTo = (end: number): void => {
    parts.push(text.slice(read, end));
    for (; read < end; read++, length++) {
      starts[length] = read;
      ends[length] = read + 1;
    }
  };
  for (const { 0: token, index } of text.matchAll(decode.token)) {
    copyTo(index);
    const meant = decode.read(token);
    parts.push(meant);
    read = index + token.length;
    starts.fill(index, length, length + meant.length);
    ends.fill(read, length, length + meant.length);
    length += meant.length;
  }
  copyTo(text.length);
  return {
    text: parts.join(''),
    startOf: (index) => starts[index] as number,
    endOf: (index) => ends[index] as number,
  };
}

/** Where `needle` begins in a text, overlapping ones too, by Knuth, Morris and Pratt: no text makes it slow. */
export function* occurrences(text: string, needle: string): Generator<number> {
  if (!text.includes(needle.slice(0, PROBE_CHARS))) return;
  const borders = bordersOf(needle);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (matched > 0 && code !== needle.charCodeAt(matched)) matched = borders[matched - 1] as number;
    if (code === needle.charCodeAt(matched)) matched += 1;
    if (matched < needle.length) continue;
    yield at + 1 - matched;
    matched = borders[matched - 1] as number;
  }
}

/** Of most texts this is enough to know that nothing is there. */
const PROBE_CHARS = 6;

/** For each beginning of a text the length of the longest shorter one that it ends with. */
function bordersOf(needle: string): Int32Array {
  const borders = new Int32Array(needle.length);
  for (let at = 1, length = 0; at < needle.length; at++) {
    while (length > 0 && needle.charCodeAt(at) !== needle.charCodeAt(length))
      length = borders[length - 1] as number;
    if (needle.charCodeAt(at) === needle.charCodeAt(length)) length += 1;
    borders[at] = length;
  }
  return borders;
}
