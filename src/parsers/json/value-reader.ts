import type { Repair } from '../parse-result.js';
import { skipSpace } from '../source.js';
import { type ClosesString, readString } from './json-string.js';

/** Deeper values are refused: what comes after (stringify, schema checks) would run out of stack. */
export const MAX_DEPTH = 500;

export type RepairKind = Repair['kind'];

export interface Problem {
  code: 'bad_json' | 'truncated';
  message: string;
}

/** How far a value may go, and what its quotes mean. */
export interface Bounds {
  /** Nothing is read from here on. */
  limit: number;
  /** Marks before which closers may be missing. */
  until: readonly string[];
  closesString?: (isKey: boolean) => ClosesString;
}

interface Frame {
  closer: '}' | ']' | ')';
  value: Record<string, unknown> | unknown[];
  key: string;
}

const LITERALS = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['True', true],
  ['False', false],
  ['None', null],
]);
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /[A-Za-z]+/y;
const CLOSERS = { '{': '}', '[': ']', '(': ')' } as const;

/**
 * Reads one JSON value in one pass, without recursion, and lets through what models write instead
 * of JSON as long as it can only mean one thing. Numbers are as `JSON.parse` has them (beyond 2^53
 * rounded), of equal keys the last counts.
 */
export class ValueReader {
  readonly repairs = new Set<RepairKind>();
  problem: Problem | null = null;
  /** Closers that were missing at the limit or a mark. */
  missing = 0;
  /** Reading ended before a mark. */
  atMark = false;
  /** Reading failed right behind a text: it may have ended at a quote that was part of it. */
  behindText = false;
  private readonly stack: Frame[] = [];
  private result: unknown;
  private done = false;

  private readonly limit: number;
  private textEnd = -1;

  constructor(
    private readonly text: string,
    public at: number,
    private readonly bounds: Bounds,
  ) {
    this.limit = bounds.limit;
  }

  /** The value, or undefined with `problem` set. `at` is then where reading ended. */
  read(): unknown {
    this.value();
    while (!this.done && this.problem === null) this.next();
    return this.problem === null ? this.result : undefined;
  }

  private next(): undefined {
    const frame = this.stack.at(-1) as Frame;
    const char = this.peek();
    if (char === frame.closer) return this.close();
    if (char === '') return this.endEarly();
    if (char !== ',')
      return this.meetsMark() ? this.endEarly() : this.fail(`expected "," or "${frame.closer}"`);
    this.at += 1;
    const after = this.peek();
    if (after === '') return this.cut();
    if (after !== frame.closer) return this.element(frame);
    this.repairs.add(frame.closer === ')' ? 'python_literals' : 'trailing_comma');
    this.close(true);
  }

  private meetsMark(): boolean {
    this.atMark = this.bounds.until.some((mark) => this.text.startsWith(mark, this.at));
    return this.atMark;
  }

  private element(frame: Frame): undefined {
    if (frame.closer !== '}') return this.value();
    const key = this.string(true);
    if (key === null) return;
    if (this.peek() !== ':') return this.at >= this.limit ? this.cut() : this.fail('expected ":"');
    this.at += 1;
    frame.key = key;
    this.value();
  }

  /** Begins a value: a scalar is put into its container at once, a container is opened. */
  private value(): undefined {
    const char = this.peek();
    if (char === '') return this.cut();
    if (char === '{' || char === '[' || char === '(') return this.open(char);
    if (char === '"' || char === "'") {
      const string = this.string(false);
      return string === null ? undefined : this.put(string);
    }
    this.scalar();
  }

  private open(char: '{' | '[' | '('): undefined {
    if (this.stack.length >= MAX_DEPTH) return this.fail(`more than ${MAX_DEPTH} levels deep`);
    if (char === '(') this.repairs.add('python_literals');
    const frame: Frame = { closer: CLOSERS[char], value: char === '{' ? {} : [], key: '' };
    this.stack.push(frame);
    this.at += 1;
    const next = this.peek();
    if (next === '') return this.cut();
    if (next === frame.closer) this.close();
    else this.element(frame);
  }

  private close(trailingComma = false): undefined {
    this.at += 1;
    const { value, closer } = this.stack.pop() as Frame;
    // As in Python, `(x)` is x and `(x,)` a tuple.
    const lone = closer === ')' && Array.isArray(value) && value.length === 1 && !trailingComma;
    this.put(lone ? value[0] : value);
  }

  private put(value: unknown): undefined {
    const frame = this.stack.at(-1);
    if (!frame) {
      this.result = value;
      this.done = true;
    } else if (Array.isArray(frame.value)) frame.value.push(value);
    else setOwn(frame.value, frame.key, value);
  }

  private string(isKey: boolean): string | null {
    const quote = this.peek();
    if (quote !== '"' && quote !== "'") {
      this.fail('expected a key in quotes');
      return null;
    }
    const closes = quote === '"' ? this.bounds.closesString?.(isKey) : undefined;
    const read = readString(this.text, this.at, this.limit, closes);
    if (read === null) {
      this.at = this.limit;
      this.cut('a text');
      return null;
    }
    if (quote === "'") this.repairs.add('single_quotes');
    if (read.rawControls) this.repairs.add('raw_control_characters');
    if (read.badEscapes) this.repairs.add('invalid_escape');
    if (read.innerQuotes) this.repairs.add('unescaped_quotes');
    this.at = read.end;
    this.textEnd = read.end;
    return read.value;
  }

  private scalar(): undefined {
    const number = this.match(NUMBER);
    if (number !== null) return this.number(number);
    const word = this.match(WORD) ?? '';
    if (!LITERALS.has(word)) {
      if (this.at >= this.limit) return this.cut();
      this.at -= word.length;
      return this.fail(`unexpected ${JSON.stringify(this.text.slice(this.at, this.at + 12))}`);
    }
    if (/^[TFN]/.test(word)) this.repairs.add('python_literals');
    this.put(LITERALS.get(word));
  }

  private number(digits: string): undefined {
    // The digits may go on where the text was cut.
    if (this.at >= this.text.length && this.stack.length > 0) return this.cut('a number');
    const value = Number(digits);
    if (!Number.isFinite(value)) return this.fail(`a number that is too large: ${digits.slice(0, 20)}`);
    this.put(value);
  }

  private match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? null;
    if (found === null || this.at + found.length > this.limit) return null;
    this.at += found.length;
    return found;
  }

  /** The next character that is no white space; empty at the limit. */
  private peek(): string {
    this.at = skipSpace(this.text, this.at);
    return this.at < this.limit ? (this.text[this.at] as string) : '';
  }

  /** After a complete value only closers can be missing. */
  private endEarly(): undefined {
    this.missing = this.stack.length;
    this.repairs.add('unclosed_json');
    while (this.stack.length > 0) this.put((this.stack.pop() as Frame).value);
  }

  private cut(what = 'a value'): undefined {
    this.problem = { code: 'truncated', message: `the JSON ends in the middle of ${what}` };
  }

  private fail(message: string): undefined {
    this.behindText = this.text.slice(this.textEnd, this.at).trim() === '' && this.textEnd !== -1;
    this.problem = { code: 'bad_json', message: `the JSON is broken: ${message}` };
  }
}

/** `__proto__` is a key like any other, and no way to the prototype. */
function setOwn(target: Record<string, unknown>, key: string, value: unknown): undefined {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}
