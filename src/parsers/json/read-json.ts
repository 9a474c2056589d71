import type { Source } from '../call-format.js';
import type { Repair } from '../parse-result.js';
import { findFirst, skipSpace } from '../source.js';
import { repairOf } from './repair-words.js';
import { closesWhereJsonGoesOn } from './unescaped-quotes.js';
import { type Problem, type RepairKind, ValueReader } from './value-reader.js';

export interface JsonRead {
  ok: true;
  value: unknown;
  /** Behind the value, and behind its code fence and surplus closers. */
  end: number;
  repairs: Repair[];
  /** More text would not change what was read. */
  final: boolean;
}

export interface JsonFailure extends Problem {
  ok: false;
  /** Where the next `until` is, or the end of the text: what to give up on. */
  end: number;
  /** More text would not mend it. */
  final: boolean;
}

export interface JsonOptions {
  /** Marks that end the place of the JSON. Within its texts they are text, as long as the JSON is sound without repairs that depend on its end. */
  until?: readonly string[];
  /**
   * Closers that may be missing where the text ends without any of `until`: as many as surround the
   * arguments, so that no call runs with half of them. Default 0. Before one of `until` all may be missing.
   */
  mayMiss?: number;
}

const FENCE = /```[A-Za-z]*\s*/y;
const FENCE_END = /\s*```/y;
const SURPLUS = /[\s}\])]*/y;

/**
 * Reads the JSON value at `at` (white space and a code fence before it are skipped): as it stands
 * or with what can only be meant, closers missing before one of `until` included; else once more
 * with quotes that were not escaped. A text that was cut off is never read as if it were whole.
 */
export function readJson(source: Source, at: number, options: JsonOptions = {}): JsonRead | JsonFailure {
  const { text } = source;
  const start = skipSpace(text, at);
  const fence = matchAt(FENCE, text, start);
  const from = start + fence;
  const { until = [] } = options;
  if (source.rereads.left < 0) {
    const message = 'too much broken JSON in one text';
    return { ok: false, code: 'bad_json', message, end: findFirst(source, until, start), final: false };
  }
  const whole = attempt(source, new ValueReader(text, from, { limit: text.length, until }), options);
  const read = whole.ok ? whole : closer(source, from, whole, options);
  if (!read.ok) return read;
  const repairs = [...read.kinds].map((kind) => repairOf(kind));
  if (fence > 0) repairs.unshift(repairOf('code_fence'));
  let end = read.end + (fence > 0 ? matchAt(FENCE_END, text, read.end) : 0);
  const surplus = surplusEnd(text, end, options);
  if (surplus > end) {
    repairs.push(repairOf('surplus_closers'));
    end = surplus;
  }
  return { ok: true, value: read.value, end, repairs, final: read.final };
}

type Attempt = { final: boolean; end: number } & (
  | { ok: true; value: unknown; kinds: Set<RepairKind> }
  | ({ ok: false; behindText: boolean } & Problem)
);

const QUOTE_COST = 8;
/** Nearer to the end a word or number may only be cut off. */
const LONGEST_TOKEN = 16;

function attempt(source: Source, reader: ValueReader, { mayMiss = 0 }: JsonOptions): Attempt {
  const from = reader.at;
  const value = reader.read();
  const { problem, missing, at, repairs, atMark, behindText } = reader;
  if (problem === null && (missing <= mayMiss || atMark))
    return { ok: true, value, end: at, kinds: repairs, final: missing === 0 || atMark };
  source.rereads.left -= at - from;
  const { code, message } = problem ?? { code: 'truncated', message: 'the JSON is not closed' };
  const final = at + LONGEST_TOKEN <= source.text.length;
  return { ok: false, code, message, end: at, final, behindText };
}

/** A second look at broken JSON, no further than the next mark: a text may go on behind a quote that nobody escaped. */
function closer(
  source: Source,
  from: number,
  failed: Attempt & { ok: false },
  options: JsonOptions,
): Attempt | JsonFailure {
  const { text } = source;
  const { until = [] } = options;
  const limit = findFirst(source, until, from);
  const marked = limit < text.length;
  // What was settled before the end of the text stays so when the text goes on.
  const final = failed.final && marked;
  if (failed.behindText) {
    const reader = new ValueReader(text, from, {
      limit,
      until,
      closesString: closesWhereJsonGoesOn(text, limit),
    });
    const read = attempt(source, reader, marked ? { mayMiss: Number.POSITIVE_INFINITY } : options);
    if (read.ok) return { ...read, final };
    // Judging every quote is dear.
    source.rereads.left -= (read.end - from) * QUOTE_COST;
  }
  if (marked && failed.end >= limit) {
    const what = failed.end > limit ? 'a text' : 'a value';
    const message = `the JSON ends in the middle of ${what}`;
    return { ok: false, code: 'truncated', message, end: limit, final };
  }
  return { ok: false, code: failed.code, message: failed.message, end: limit, final };
}

/** Closers up to the mark that follows, and nothing else. */
function surplusEnd(text: string, end: number, { until = [] }: JsonOptions): number {
  const first = text[skipSpace(text, end)];
  if (first !== '}' && first !== ']' && first !== ')') return end;
  const after = end + matchAt(SURPLUS, text, end);
  return after === text.length || until.some((mark) => text.startsWith(mark, after)) ? after : end;
}

function matchAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}
