/** What is read of a string literal: its value, where the text goes on, and what was wrong with it. */
export interface StringRead {
  value: string;
  end: number;
  rawControls: boolean;
  badEscapes: boolean;
  innerQuotes: boolean;
}

/** Tells whether the quote at a position ends the string, rather than standing unescaped in it. */
export type ClosesString = (at: number) => boolean;

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
const CONTROL = /[\u0000-\u001f]/;
const ESCAPE = /\\(u[0-9a-fA-F]{4}|[\s\S])/g;
const ESCAPED: Record<string, string> = {
  '"': '"',
  "'": "'",
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/**
 * Reads the literal whose quote (`"` or `'`) is at `at`; null when it is not closed before `limit`,
 * or when quotes within it could be paired in several ways.
 */
export function readString(
  text: string,
  at: number,
  limit: number,
  closes: ClosesString = () => true,
): StringRead | null {
  const quote = text[at] as string;
  let inner = 0;
  for (let from = at + 1; ; ) {
    const close = text.indexOf(quote, from);
    if (close === -1 || close >= limit) return null;
    if (!isEscaped(text, close, from)) {
      if (closes(close))
        return inner % 2 === 0 ? literal(text.slice(at + 1, close), quote, close + 1, inner) : null;
      inner += 1;
    }
    from = close + 1;
  }
}

function isEscaped(text: string, at: number, from: number): boolean {
  let start = at;
  while (start > from && text.charCodeAt(start - 1) === 92) start -= 1;
  return (at - start) % 2 === 1;
}

function literal(raw: string, quote: string, end: number, inner: number): StringRead {
  const read = { value: raw, end, rawControls: CONTROL.test(raw), badEscapes: false, innerQuotes: inner > 0 };
  if (!raw.includes('\\')) return read;
  read.value = raw.replace(ESCAPE, (whole, written: string) => {
    if (written.length > 1) return String.fromCharCode(Number.parseInt(written.slice(1), 16));
    const meant = ESCAPED[written];
    // `\d` of a pattern, `\$` of a shell: the backslash was meant.
    if (meant === undefined || (written === "'" && quote === '"')) read.badEscapes = true;
    return meant ?? whole;
  });
  return read;
}
