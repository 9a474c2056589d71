import type { RawCall, ReadCalls, ReadContext, Source } from '../../call-format.js';
import { repairOf } from '../../json/repair-words.js';
import { findFirst, skipSpace } from '../../source.js';
import type { TagDialect, Tags } from './dialect.js';
import { endsWithin, readTaggedCall } from './read-call.js';

/**
 * Reads the calls from `at`, where the wrapper or, without one, a call begins; null when it is prose
 * that only mentions the tag.
 */
export function readTaggedSection(
  source: Source,
  dialect: TagDialect,
  at: number,
  context: ReadContext,
): ReadCalls | null {
  const { wrapper } = dialect;
  const reader = new SectionReader(source, dialect, context);
  if (wrapper === null || !source.text.startsWith(wrapper.open, at)) {
    return startsCall(source.text, dialect, at, context) ? reader.readOne(at) : null;
  }
  const first = skipSpace(source.text, at + wrapper.open.length);
  return startsCall(source.text, dialect, first, null) ? reader.readAll(at, first, wrapper) : null;
}

/**
 * A call's opening tag, with something behind it that a call goes on with: models also talk about tags.
 * Where the text ends behind it, `context` has to know the name (null: no need to).
 */
function startsCall(text: string, dialect: TagDialect, at: number, context: ReadContext | null): boolean {
  if (!text.startsWith(dialect.call.open, at)) return false;
  const head = dialect.readHead(text, at + dialect.call.open.length, 'call');
  if (head === null) return false;
  const next = skipSpace(text, head.end);
  if (next === text.length) return context === null || context.tools.has(head.name);
  const tags = [dialect.parameter.open, ...dialect.ends, '{'];
  return tags.some((tag) => text.startsWith(tag, next) || endsWithin(text, next, tag));
}

class SectionReader {
  /** Null when the last call could not be read. */
  private last: RawCall | null = null;
  private readonly into: ReadCalls = { end: 0, calls: [], failures: [], text: '', closed: false };

  constructor(
    private readonly source: Source,
    private readonly dialect: TagDialect,
    private readonly context: ReadContext,
  ) {}

  /** A call without a wrapper, of which the closing tag may stand there all the same. */
  readOne(start: number): ReadCalls {
    const { into, dialect } = this;
    const { text } = this.source;
    into.end = this.call(start, start);
    const next = skipSpace(text, into.end);
    const close = dialect.wrapper?.close;
    if (close === undefined) return into;
    if (text.startsWith(close, next)) return this.close(next + close.length);
    // It may still come.
    const within = endsWithin(text, next, close);
    if (within) into.end = text.length;
    into.closed &&= !within && next < text.length;
    return into;
  }

  readAll(start: number, first: number, wrapper: Tags): ReadCalls {
    const { into } = this;
    const { text } = this.source;
    for (let at = first, from = start; ; from = at) {
      into.end = this.call(from, at);
      const next = skipSpace(text, into.end);
      at = this.goesOnAt(next);
      if (text.startsWith(wrapper.close, at)) {
        into.text += text.slice(next, at);
        return this.close(at + wrapper.close.length);
      }
      if (at === text.length) break;
      into.text += text.slice(next, at);
    }
    if (endsWithin(text, skipSpace(text, into.end), wrapper.close)) into.end = text.length;
    if (this.last !== null) noteMissingClose(this.last);
    into.closed = false;
    return into;
  }

  /** Reads the call at `at`; what was read of it begins at `from`. */
  private call(from: number, at: number): number {
    const { into } = this;
    const read = readTaggedCall(this.source, this.dialect, at, this.context);
    const end = read?.end ?? at + this.dialect.call.open.length;
    const raw = this.source.text.slice(from, end);
    // Fields one by one here and where calls are read by the thousand: a spread is dear.
    this.last = null;
    if (read?.call) {
      const { name, nativeId, arguments: args, repairs } = read.call;
      this.last = { name, nativeId, arguments: args, repairs, raw };
    }
    if (this.last !== null) into.calls.push(this.last);
    const failure =
      read === null ? { code: 'malformed' as const, message: 'the call has no name' } : read.failure;
    if (failure !== null) {
      into.failures.push({ code: failure.code, message: failure.message, raw, offset: from });
    }
    into.text += read?.text ?? '';
    into.closed = read?.closed ?? true;
    return end;
  }

  /** The section's next call or its end, behind text that belongs to neither; the end of the text when the section seems to be over. */
  private goesOnAt(at: number): number {
    const { text } = this.source;
    const { dialect } = this;
    const next = findFirst(this.source, [...dialect.ends.slice(1), ...dialect.starts], at);
    if (!text.startsWith(dialect.call.open, next)) return this.isWrapperOpen(next) ? text.length : next;
    return startsCall(text, dialect, next, null) ? next : text.length;
  }

  private isWrapperOpen(at: number): boolean {
    const { wrapper } = this.dialect;
    return wrapper !== null && this.source.text.startsWith(wrapper.open, at);
  }

  private close(end: number): ReadCalls {
    this.into.end = end;
    this.into.closed = true;
    return this.into;
  }
}

function noteMissingClose(call: RawCall): void {
  const missing = repairOf('missing_close_tag');
  if (!call.repairs.some(({ detail }) => detail === missing.detail)) call.repairs.push(missing);
}
