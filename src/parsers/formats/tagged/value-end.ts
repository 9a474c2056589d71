import type { Source } from '../../call-format.js';
import { skipSpace } from '../../source.js';
import type { TagDialect } from './dialect.js';

export interface ValueEnd {
  /** Behind the last character of the value. */
  end: number;
  /** Where reading goes on. */
  after: number;
  /** `missing`: another tag shows that it has ended; `cut`: the text ends, or another call begins, in the middle of it. */
  how: 'closed' | 'missing' | 'cut';
}

/** Tells whether a parameter of that name can begin here, rather than being text. */
export type IsSibling = (name: string) => boolean;

const LONGEST_TAG = 60;

/**
 * Where the value that begins at `from` ends. Values are not escaped, so they may hold any tag: a
 * closing tag counts when the call goes on behind it (another parameter, or the end of the call),
 * and calls that are quoted within the value are passed over as long as they are whole.
 */
export function endOfValue(
  source: Source,
  dialect: TagDialect,
  from: number,
  isSibling: IsSibling,
): ValueEnd {
  const scan = new ValueScan(source, dialect, isSibling);
  return scan.run(from);
}

class ValueScan {
  /** Calls that were opened within the value and are not closed yet. */
  private depth = 0;
  /** The first closing tag behind which the call goes on, while a quoted call was open. */
  private closed = -1;
  /** The end of the call, without the value having been closed. */
  private loose = -1;
  private looseIsSure = false;
  /** The first call that begins within the value. */
  private nested = -1;
  private lastWrapper = -1;

  constructor(
    private readonly source: Source,
    private readonly dialect: TagDialect,
    private readonly isSibling: IsSibling,
  ) {}

  run(from: number): ValueEnd {
    const { text } = this.source;
    const { anyTag } = this.dialect;
    anyTag.lastIndex = from;
    for (let found = anyTag.exec(text); found !== null; found = anyTag.exec(text)) {
      const next = anyTag.lastIndex;
      const end = this.token(found[0], found.index);
      if (end !== null) return end;
      anyTag.lastIndex = next;
    }
    return this.atTextEnd();
  }

  private token(tag: string, at: number): ValueEnd | null {
    const { wrapper, call, parameter } = this.dialect;
    if (tag === parameter.close) return this.parameterClose(at);
    if (tag === parameter.open) return this.parameterOpen(at);
    if (tag === call.close) this.callClose(at);
    else if (tag === call.open) return this.callOpen(at);
    else if (tag === wrapper?.open) this.lastWrapper = at;
    else if (this.depth === 0 && this.loose < 0 && this.closed < 0) this.loose = at;
    return null;
  }

  private parameterClose(at: number): ValueEnd | null {
    const { parameter, ends } = this.dialect;
    const behind = at + parameter.close.length;
    const goesOn = this.goesOnWith([parameter.open], behind) || this.goesOnWith(ends, behind);
    if (!goesOn && !this.callFollows(behind)) return null;
    // Quoted calls are only looked through as long as that has not cost too much.
    if (this.depth === 0 || this.source.rereads.left < 0) return this.closedAt(at);
    if (this.closed < 0) this.closed = at;
    return null;
  }

  private parameterOpen(at: number): ValueEnd | null {
    if (this.depth > 0 || this.closed >= 0) return null;
    const { parameter, readHead } = this.dialect;
    const head = readHead(this.source.text, at + parameter.open.length, 'parameter');
    return head !== null && this.isSibling(head.name) ? missingAt(at) : null;
  }

  private callClose(at: number): void {
    if (this.depth > 0) this.depth -= 1;
    else if (this.loose < 0 && this.closed < 0) {
      const { call, starts, ends } = this.dialect;
      const behind = at + call.close.length;
      this.loose = at;
      this.looseIsSure = this.goesOnWith(starts, behind) || this.goesOnWith(ends.slice(1), behind);
    }
  }

  private callOpen(at: number): ValueEnd | null {
    const { call, parameter, wrapper, readHead } = this.dialect;
    const head = readHead(this.source.text, at + call.open.length, 'call');
    if (head === null || !this.goesOnWith([parameter.open, call.close], head.end)) return null;
    if (this.depth === 0 && this.closed >= 0) return this.cutAt(this.nested, at);
    const isOver = this.looseIsSure || (this.loose >= 0 && this.source.rereads.left < 0);
    if (this.depth === 0 && isOver) return missingAt(this.loose);
    this.depth += 1;
    if (this.nested >= 0) return null;
    const { lastWrapper } = this;
    const wrapped =
      wrapper !== null &&
      lastWrapper >= 0 &&
      skipSpace(this.source.text, lastWrapper + wrapper.open.length) === at;
    this.nested = wrapped ? lastWrapper : at;
    return null;
  }

  private atTextEnd(): ValueEnd {
    const end = this.source.text.length;
    if (this.closed >= 0 && this.depth > 0) return this.closedAt(this.closed, end);
    // A whole call within the value, and no end behind it: the value was cut off, and the call is the next one.
    if (this.closed >= 0) return this.cutAt(this.nested, end);
    if (this.loose < 0) return this.cutAt(this.nested < 0 ? end : this.nested, end);
    this.source.rereads.left -= end - this.loose;
    return missingAt(this.loose);
  }

  private cutAt(at: number, lookedTo: number): ValueEnd {
    const end = this.source.rereads.left < 0 ? lookedTo : at;
    this.source.rereads.left -= lookedTo - end;
    return { end, after: end, how: 'cut' };
  }

  /** `lookedTo`: how far it was read in vain. */
  private closedAt(at: number, lookedTo = at): ValueEnd {
    this.source.rereads.left -= lookedTo - at;
    return { end: at, after: at + this.dialect.parameter.close.length, how: 'closed' };
  }

  /** The next call begins: the end of this one is missing. */
  private callFollows(from: number): boolean {
    const { text } = this.source;
    const { wrapper, call, readHead } = this.dialect;
    const next = skipSpace(text, from);
    const wrapped = wrapper !== null && text.startsWith(wrapper.open, next);
    const at = wrapped ? skipSpace(text, next + wrapper.open.length) : next;
    return text.startsWith(call.open, at) && readHead(text, at + call.open.length, 'call') !== null;
  }

  /** One of the tags follows after white space, or the text ends, if only in the middle of one. */
  private goesOnWith(tags: readonly string[], from: number): boolean {
    const { text } = this.source;
    const next = skipSpace(text, from);
    if (tags.some((tag) => text.startsWith(tag, next))) return true;
    if (text.length - next > LONGEST_TAG) return false;
    const rest = text.slice(next);
    return tags.some((tag) => tag.startsWith(rest));
  }
}

function missingAt(at: number): ValueEnd {
  return { end: at, after: at, how: 'missing' };
}
