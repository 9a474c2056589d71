export type KeyPath = readonly (string | number)[];

const pathKey = (path: KeyPath): string => JSON.stringify(path.map(String));

/**
 * Where the keys of a TOML document stand: the parser tells lines of syntax errors only.
 * Keys inside inline tables and arrays have the line of the statement that holds them.
 */
export class TomlLines {
  private readonly lines = new Map<string, number>();
  private readonly arrayLengths = new Map<string, number>();
  private table: (string | number)[] = [];
  private at = 0;

  constructor(private readonly text: string) {
    while (this.at < text.length) this.statement();
  }

  /** The line (from 1) of a key, or of the nearest table around it; null for the document as a whole. */
  lineOf(path: KeyPath): number | null {
    for (let length = path.length; length > 0; length--) {
      const line = this.lines.get(pathKey(path.slice(0, length)));
      if (line !== undefined) return line;
    }
    return null;
  }

  private statement(): void {
    this.skip(/\s*/y);
    const char = this.text[this.at];
    if (char === undefined) return;
    if (char === '#') this.skip(/[^\n]*/y);
    else if (char === '[') this.header();
    else this.assignment();
  }

  private header(): void {
    const line = this.line();
    const double = this.text.startsWith('[[', this.at);
    this.at += double ? 2 : 1;
    const path = this.resolve(this.keys());
    this.skip(/[^\n]*/y);
    if (double) {
      const index = this.arrayLengths.get(pathKey(path)) ?? 0;
      this.arrayLengths.set(pathKey(path), index + 1);
      this.remember(path, line);
      path.push(index);
    }
    this.table = path;
    this.remember(path, line);
  }

  private assignment(): void {
    const line = this.line();
    const keys = this.keys();
    for (let length = 1; length <= keys.length; length++) {
      this.remember([...this.table, ...keys.slice(0, length)], line);
    }
    this.value();
  }

  /** `[steps.verifier]` after `[[steps]]` means the newest element. */
  private resolve(keys: string[]): (string | number)[] {
    const path: (string | number)[] = [];
    keys.forEach((key, i) => {
      path.push(key);
      const length = this.arrayLengths.get(pathKey(path));
      if (length !== undefined && i < keys.length - 1) path.push(length - 1);
    });
    return path;
  }

  private keys(): string[] {
    const keys: string[] = [];
    const part = /[ \t]*("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[\w-]+)[ \t]*\.?/y;
    for (let match = this.match(part); match !== null; match = this.match(part)) {
      const raw = match[1] as string;
      keys.push(/^["']/.test(raw) ? raw.slice(1, -1) : raw);
      if (!match[0].endsWith('.')) break;
    }
    return keys;
  }

  /** Skips to the end of the value: a line break outside strings and brackets. */
  private value(): void {
    let depth = 0;
    while (this.at < this.text.length) {
      if (this.skip(/"""(?:[^\\]|\\[\s\S])*?"""+|'''[\s\S]*?'''+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*/y))
        continue;
      const char = this.text[this.at];
      this.at += 1;
      if (char === '[' || char === '{') depth += 1;
      else if (char === ']' || char === '}') depth -= 1;
      else if (char === '\n' && depth <= 0) return;
    }
  }

  private remember(path: KeyPath, line: number): void {
    const key = pathKey(path);
    if (!this.lines.has(key)) this.lines.set(key, line);
  }

  private line(): number {
    return this.text.slice(0, this.at).split('\n').length;
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (match !== null) this.at = pattern.lastIndex;
    return match;
  }

  private skip(pattern: RegExp): boolean {
    const match = this.match(pattern);
    return match !== null && match[0] !== '';
  }
}
