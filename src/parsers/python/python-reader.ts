import { readPythonString } from './python-string.js';

/** Deeper values are refused, as in JSON: what comes after would run out of stack. */
const MAX_DEPTH = 200;
const NUMBER = /[+-]?(?:0[xX][0-9a-fA-F]{1,16}|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)/y;
const WORD = /[A-Za-z_][\w.-]*/y;
const SPACE = /[\s\\]*/y;
const LITERALS = new Map<string, unknown>([
  ['True', true],
  ['False', false],
  ['None', null],
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Why a place is no Python literal. `cut`: the text ends in the middle of one. */
export class NoLiteral {
  constructor(
    readonly what: string,
    readonly cut: boolean,
  ) {}
}

export interface PythonCall {
  name: string;
  arguments: Record<string, unknown>;
}

/**
 * Reads calls and literals of Python from a text, and nothing else of it: no names, no expressions,
 * nothing is ever evaluated. Throws NoLiteral, which its callers catch.
 */
export class PythonReader {
  private depth = 0;

  constructor(
    private readonly text: string,
    public at: number,
  ) {}

  /** `name(key=value, **{"other key": value})`. */
  call(): PythonCall {
    const name = this.word();
    this.expect('(');
    const args = new Map<string, unknown>();
    while (!this.takes(')')) {
      if (args.size > 0) this.expect(',');
      if (this.takes(')')) break;
      this.argument(args);
    }
    return { name, arguments: Object.fromEntries(args) };
  }

  /** Passes over white space and the character; false when another one stands there. */
  takes(char: string): boolean {
    if (this.peek() !== char) return false;
    this.at += 1;
    return true;
  }

  peek(): string {
    this.match(SPACE);
    return this.text[this.at] ?? '';
  }

  private argument(into: Map<string, unknown>): void {
    if (this.peek() === '*') {
      this.at += this.text.startsWith('**', this.at) ? 2 : 0;
      const spread = this.peek() === '{' ? this.value() : this.fail('expected a name');
      for (const [key, value] of Object.entries(spread as object)) into.set(key, value);
      return;
    }
    const key = this.word();
    if (this.peek() !== '=') this.fail('expected "=" behind the name of an argument');
    this.at += 1;
    into.set(key, this.value());
  }

  private value(): unknown {
    const char = this.peek();
    if (char === '[') return this.list(']');
    if (char === '(') return this.parentheses();
    if (char === '{') return this.dict();
    if (char === '"' || char === "'" || this.isPrefixed()) return this.strings();
    const number = this.match(NUMBER);
    if (number !== null) return this.number(number);
    const word = this.match(WORD) ?? '';
    if (LITERALS.has(word)) return LITERALS.get(word);
    return this.fail(word === '' ? 'expected a value' : `"${word.slice(0, 40)}" is no literal`);
  }

  private number(digits: string): number {
    // The digits may go on where the text was cut.
    if (this.at === this.text.length) this.fail('expected a value');
    const value = Number(digits.replaceAll('_', '').replace(/^\+/, ''));
    return Number.isFinite(value) ? value : this.fail('a number that is none');
  }

  /** Strings that stand beside each other are one. */
  private strings(): string {
    let joined = '';
    do {
      const read = readPythonString(this.text, this.at);
      if (read === null) this.fail('a text that is not closed', true);
      joined += read.value;
      this.at = read.end;
    } while (this.peek() === '"' || this.peek() === "'" || this.isPrefixed());
    return joined;
  }

  private isPrefixed(): boolean {
    const next = this.text[this.at + 1];
    return /[rRuU]/.test(this.text[this.at] ?? '') && (next === '"' || next === "'");
  }

  /** A tuple, which becomes a list, or a value in parentheses. */
  private parentheses(): unknown {
    const before = this.at;
    const items = this.list(')');
    const isValue = items.length === 1 && !/,\s*\)$/.test(this.text.slice(before, this.at).slice(-20));
    return isValue ? items[0] : items;
  }

  private list(closer: ']' | ')'): unknown[] {
    const items: unknown[] = [];
    this.nested(closer, () => items.push(this.value()));
    return items;
  }

  private dict(): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    this.nested('}', () => {
      const key = this.value();
      if (typeof key !== 'string' && typeof key !== 'number') this.fail('a key that is no text');
      this.expect(':');
      entries.push([String(key), this.value()]);
    });
    return Object.fromEntries(entries);
  }

  private nested(closer: string, item: () => void): void {
    this.at += 1;
    this.depth += 1;
    if (this.depth > MAX_DEPTH) this.fail(`more than ${MAX_DEPTH} levels deep`);
    for (let first = true; !this.takes(closer); first = false) {
      if (!first) this.expect(',');
      if (this.takes(closer)) break;
      item();
    }
    this.depth -= 1;
  }

  private word(): string {
    this.peek();
    return this.match(WORD) ?? this.fail('expected a name');
  }

  private expect(char: string): void {
    if (!this.takes(char)) this.fail(`expected "${char}"`);
  }

  private match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? null;
    this.at += found?.length ?? 0;
    return found;
  }

  private fail(what: string, cut = this.at >= this.text.length): never {
    throw new NoLiteral(what, cut);
  }
}
