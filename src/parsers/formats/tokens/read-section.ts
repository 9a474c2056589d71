import type { ReadCalls, ReadContext, Source } from '../../call-format.js';
import { readArguments } from '../../json/read-arguments.js';
import { repairOf } from '../../json/repair-words.js';
import type { ParseFailure, Repair } from '../../parse-result.js';
import { findFirst, skipSpace } from '../../source.js';
import { sectionCloses, sectionOpens, type TokenFormat, type TokenHeader } from './token-format.js';

/** Behind JSON that seems complete: more of it, so it was not. */
const GOES_ON = /^\s*[,:"'{}[\]]/;
const LOOK_AHEAD = 100;

/** Reads a section of calls from `at`, where it or, without one, a call begins; null when it is prose. */
export function readTokenSection(
  source: Source,
  format: TokenFormat,
  at: number,
  context: ReadContext,
): ReadCalls | null {
  const { text } = source;
  const open = sectionOpens(format).find((token) => text.startsWith(token, at));
  const first = open === undefined ? at : skipSpace(text, at + open.length);
  if (!text.startsWith(format.call.open, first)) return withoutCall(source, format, at, first);
  return new TokenSection(source, format, context).read(at, first);
}

/** A section that is closed, or cut off, before its first call. */
function withoutCall(source: Source, format: TokenFormat, at: number, first: number): ReadCalls | null {
  const { text } = source;
  const closes = sectionCloses(format);
  const stop = findFirst(source, [...closes, ...sectionOpens(format)], first);
  const close = closes.find((token) => text.startsWith(token, stop));
  if (close === undefined && first < text.length) return null;
  const end = stop + (close?.length ?? 0);
  const message = 'there is no call in a form that is known in the section';
  const code = close === undefined ? 'truncated' : 'malformed';
  const failures = [{ code, message, raw: text.slice(at, end), offset: at } as const];
  return { end, calls: [], failures, text: '', closed: close !== undefined };
}

class TokenSection {
  private readonly into: ReadCalls = { end: 0, calls: [], failures: [], text: '', closed: false };
  private readonly opens: readonly string[];
  private readonly closes: readonly string[];
  /** What ends a call. */
  private readonly ends: readonly string[];

  constructor(
    private readonly source: Source,
    private readonly format: TokenFormat,
    private readonly context: ReadContext,
  ) {
    this.opens = sectionOpens(format);
    this.closes = sectionCloses(format);
    this.ends = [format.call.close, format.call.open, ...this.closes, ...this.opens];
  }

  read(start: number, first: number): ReadCalls {
    const { into, format } = this;
    const { text } = this.source;
    for (let at = first, from = start; ; from = at) {
      into.end = this.call(from, at);
      const next = findFirst(this.source, this.ends.slice(1), into.end);
      const close = this.closes.find((token) => text.startsWith(token, next));
      const goesOn = close !== undefined || text.startsWith(format.call.open, next);
      // Nothing that closes the section is to come: what follows is no part of it.
      if (!goesOn) return into;
      into.text += text.slice(into.end, next);
      if (close !== undefined) {
        into.end = next + close.length;
        into.closed = true;
        return into;
      }
      at = next;
    }
  }

  /** Reads the call whose token is at `at`; what is read of it begins at `from`. */
  private call(from: number, at: number): number {
    const { text } = this.source;
    const { call } = this.format;
    const isKnown = (name: string) => this.context.tools.has(name);
    const header = this.format.readHeader(text, at + call.open.length, isKnown);
    if (header === null) {
      const stop = this.stopAfter(at + call.open.length);
      const cut = stop.end === text.length && !stop.closed;
      const code = cut ? 'truncated' : 'no_name';
      return this.fail(from, stop.end, { code, message: 'the call has no name in a form that is known' });
    }
    const start = skipSpace(text, header.end);
    return this.isEnd(start) ? this.bare(header, from, start) : this.withJson(header, from, start);
  }

  /** Nothing stands where the arguments belong. */
  private bare(header: TokenHeader, from: number, at: number): number {
    const { end, closed } = this.stopAfter(at);
    if (at === this.source.text.length) {
      const message = `${header.name}: the text ends before the arguments`;
      return this.fail(from, end, { code: 'truncated', message });
    }
    this.add(header, from, end, {}, closed ? [] : [repairOf('missing_close_tag')]);
    return end;
  }

  private withJson(header: TokenHeader, from: number, at: number): number {
    const { text } = this.source;
    const read = readArguments(this.source, at, { until: this.ends });
    if (!read.ok) {
      const { end } = this.stopAfter(read.end);
      return this.fail(from, end, { code: read.code, message: `${header.name}: ${read.message}` });
    }
    const stop = this.stopAfter(read.end);
    if (GOES_ON.test(text.slice(read.end, stop.closed ? stop.at : read.end + LOOK_AHEAD))) {
      const message = `${header.name}: the JSON is broken: it goes on behind its last closing bracket`;
      return this.fail(from, stop.end, { code: 'bad_json', message });
    }
    // Text between the JSON and the closing token belongs to no call.
    this.into.text += stop.closed ? text.slice(read.end, stop.at).trim() : '';
    const end = stop.closed ? stop.end : read.end;
    const own = read.repairs.filter(({ kind }) => !(this.format.fenced && kind === 'code_fence'));
    const repairs = stop.closed ? own : [...own, repairOf('missing_close_tag')];
    this.add(header, from, end, read.arguments, repairs);
    return end;
  }

  private add(
    header: TokenHeader,
    from: number,
    end: number,
    args: Record<string, unknown>,
    repairs: Repair[],
  ): void {
    const { name, nativeId, renamed } = header;
    const all = renamed === null ? repairs : [repairOf('name', renamed), ...repairs];
    const raw = this.source.text.slice(from, end);
    this.into.calls.push({ name, nativeId, arguments: args, repairs: all, raw });
  }

  private fail(from: number, end: number, { code, message }: Pick<ParseFailure, 'code' | 'message'>): number {
    this.into.failures.push({ code, message, raw: this.source.text.slice(from, end), offset: from });
    return end;
  }

  /** The next token that ends a call; a closing one belongs to it. */
  private stopAfter(from: number): { at: number; end: number; closed: boolean } {
    const at = findFirst(this.source, this.ends, from);
    const { close } = this.format.call;
    const closed = this.source.text.startsWith(close, at);
    return { at, end: closed ? at + close.length : at, closed };
  }

  private isEnd(at: number): boolean {
    const { text } = this.source;
    return at === text.length || this.ends.some((token) => text.startsWith(token, at));
  }
}
