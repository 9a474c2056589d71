/**
 * JSON text with the white space that Python's `json.dumps` writes, everything else as it was: numbers keep
 * all their digits and their decimal point, which a trip through `JSON.parse` would cost. Null for text that is not JSON.
 */
export function respaceJson(text: string): string | null {
  if (parseJson(text) === undefined) return null;
  const strings = new StringEnds(text);
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const start = quote < 0 ? text.length : quote;
    parts.push(text.slice(at, start).replace(/\s+/g, '').replace(/[,:]/g, '$& '));
    at = start;
    if (quote >= 0) {
      at = strings.endOf(quote);
      parts.push(canonicalString(text.slice(quote, at)));
    }
  }
  return parts.join('');
}

/** Finds the ends of the strings of a JSON text from left to right, in time linear in its length. */
class StringEnds {
  private quote = -1;
  private backslash = -1;

  constructor(private readonly text: string) {}

  /** Behind the closing quote of the string that opens here. */
  endOf(open: number): number {
    for (let at = open + 1; ; at = this.backslash + 2) {
      // Each search goes on where the last one ended: what was found further on is still the next.
      if (this.quote < at) this.quote = this.text.indexOf('"', at);
      if (this.backslash < at) this.backslash = this.next('\\', at);
      if (this.quote < this.backslash) return this.quote + 1;
    }
  }

  private next(char: string, from: number): number {
    const found = this.text.indexOf(char, from);
    return found < 0 ? this.text.length : found;
  }
}

/** `\u00e9` and `\/` as Python writes them, without an escape. */
const canonicalString = (text: string): string =>
  text.includes('\\') ? JSON.stringify(JSON.parse(text)) : text;

/** The value of a JSON text; undefined for text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An object that is no array. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
