import { type Decoding, occurrences, type TextView, viewOf } from './text-view.js';

export const REDACTED = '[redacted]';

/** Shorter values are no secrets, and taking them out would mangle the text. */
const MIN_CHARS = 6;

/**
 * Text without these values, each as it is, escaped as in JSON, percent-encoded, in hexadecimal digits, and in Base64
 * at any place of what was encoded. Digits may be broken over lines, as `base64` and `xxd` write them. Linear in the
 * length of the text, whatever it holds: it may have been written by whom the values are kept from.
 */
export function redact(text: string, values: readonly string[]): string {
  const secrets = [...new Set(values)].filter((value) => value.length >= MIN_CHARS);
  if (secrets.length === 0) return text;
  const taken = new Uint8Array(text.length);
  for (const { decode, needles } of SPELLINGS) {
    const view = viewOf(text, decode);
    for (const needle of new Set(secrets.flatMap(needles))) take(taken, view, needle);
  }
  return withoutTaken(text, taken);
}

interface Spelling {
  /** Tells the text as it would be without this spelling; null = as it stands. */
  decode: Decoding | null;
  /** What to look for there. */
  needles(value: string): string[];
}

const fromHex = (digits: string): string => String.fromCharCode(Number.parseInt(digits, 16));
const SHORT_ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

const SPELLINGS: readonly Spelling[] = [
  { decode: null, needles: (value) => [value] },
  {
    decode: {
      token: /\\(?:u[0-9A-Fa-f]{4}|["\\/bfnrt])/g,
      read: (token) =>
        token.length > 2 ? fromHex(token.slice(2)) : (SHORT_ESCAPES[token.charAt(1)] ?? token.charAt(1)),
    },
    needles: (value) => [value],
  },
  {
    // Forms write a plus for a space.
    decode: { token: /%[0-9A-Fa-f]{2}|\+/g, read: (token) => plain(fromHex(token.slice(1) || '20')) },
    needles: (value) => [plain(latin1(value))],
  },
  {
    decode: {
      token: /\\x|0x|\\[nrt]|[\s:,]+|[A-F]/g,
      read: (token) => (/^[A-F]/.test(token) ? token.toLowerCase() : ''),
    },
    needles: (value) => [[...latin1(value)].map((byte) => hex(byte.charCodeAt(0))).join('')],
  },
  {
    decode: {
      token: /\\[nrt]|\s+|[-_]|%2[BFbf]|\\\//g,
      read: (token) => (/^(-|%2b)/i.test(token) ? '+' : /^(_|%2f|\\\/)/i.test(token) ? '/' : ''),
    },
    needles: (value) => [0, 1, 2].map((offset) => base64(latin1(value), offset)),
  },
];

/** What of the encoding does not depend on the bytes around the value, which begins at `offset` in a group of three. */
function base64(bytes: string, offset: number): string {
  const first = Math.ceil((offset * 8) / 6);
  const end = Math.floor(((offset + bytes.length) * 8) / 6);
  return btoa('\0'.repeat(offset) + bytes).slice(first, end);
}

/** The bytes of UTF-8, a character each. */
const latin1 = (value: string): string =>
  [...new TextEncoder().encode(value)].map((byte) => String.fromCharCode(byte)).join('');
const plain = (text: string): string => text.replaceAll('+', ' ');
const hex = (byte: number): string => byte.toString(16).padStart(2, '0');

function take(taken: Uint8Array, view: TextView, needle: string): void {
  let end = 0;
  for (const at of occurrences(view.text, needle)) {
    const from = Math.max(end, view.startOf(at));
    end = view.endOf(at + needle.length - 1);
    taken.fill(1, from, end);
  }
}

function withoutTaken(text: string, taken: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const from = taken.indexOf(1, at);
    parts.push(text.slice(at, from < 0 ? undefined : from));
    if (from < 0) break;
    parts.push(REDACTED);
    const end = taken.indexOf(0, from);
    at = end < 0 ? text.length : end;
  }
  return parts.join('');
}
