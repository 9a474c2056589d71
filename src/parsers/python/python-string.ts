export interface PythonString {
  value: string;
  end: number;
}

const START = /([rRuU]?)("""|'''|"|')/y;
const ESCAPE = /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\s\S]))/g;
const ESCAPED: Record<string, string> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Reads the string literal at `at`; null when it is not closed. Line breaks within single quotes are let through. */
export function readPythonString(text: string, at: number): PythonString | null {
  START.lastIndex = at;
  const start = START.exec(text);
  if (start === null) return null;
  const [opening, prefix = '', quotes = ''] = start;
  const from = at + opening.length;
  for (let close = from; ; ) {
    close = text.indexOf(quotes, close);
    if (close === -1) return null;
    if (!isEscaped(text, close, from)) {
      const raw = text.slice(from, close);
      const isRaw = prefix.toLowerCase() === 'r';
      return { value: isRaw ? raw : raw.replace(ESCAPE, unescaped), end: close + quotes.length };
    }
    close += 1;
  }
}

function isEscaped(text: string, at: number, from: number): boolean {
  let start = at;
  while (start > from && text[start - 1] === '\\') start -= 1;
  return (at - start) % 2 === 1;
}

function unescaped(
  whole: string,
  octal?: string,
  hex?: string,
  short?: string,
  long?: string,
  char = '',
): string {
  if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
  const digits = hex ?? short;
  if (digits !== undefined) return String.fromCharCode(Number.parseInt(digits, 16));
  if (long === undefined) return ESCAPED[char] ?? whole;
  const code = Number.parseInt(long, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
}
