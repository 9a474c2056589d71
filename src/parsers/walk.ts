import type { CallFormat, ReadCalls, ReadContext, Source } from './call-format.js';
import { Cursor, type Marked, type Markers } from './marker-set.js';
import type { Family } from './parse-result.js';
import { type ReasoningTag, ReasoningTagFinder } from './reasoning-tags.js';

/** A stretch of a text and what it is. */
export type Piece =
  | { kind: 'content'; text: string }
  /** `closed`: the block ends with it. */
  | { kind: 'reasoning'; text: string; closed: boolean }
  | { kind: 'calls'; at: number; read: ReadCalls; format: CallFormat };

/** What has been found out so far, and where the walk goes on. */
export interface WalkState {
  at: number;
  /** Within a think block: the tag that closes it, or `any`. */
  inside: string | 'any' | null;
  /** A think block was opened, or none can have been left open before the text: a closing tag is text. */
  opened: boolean;
  /** Whose calls were read: other families' markers are text now. */
  family: Family | null;
}

/** What to look for: before a call was read, and after one was. */
export interface WalkMarkers {
  context: ReadContext;
  all: Markers;
  familyOf(format: CallFormat): Family;
  own(family: Family): Markers;
  /** Where calls without marks may begin. */
  starts: readonly Markers[];
  /** Calls without marks are text here, but what stands in them is theirs: no mark in a JSON text counts. */
  bareIsText: boolean;
  /** What was read at places without marks: they are looked at more than once. */
  bareReads: Map<number, FormatRead>;
}

/** What a format read. */
export interface FormatRead {
  format: CallFormat;
  read: ReadCalls;
}

/** The state in which a text begins. `thinkOpened`: see `ParseOptions`. */
export function firstState(thinkOpened: boolean | undefined): WalkState {
  return { at: 0, inside: thinkOpened ? 'any' : null, opened: thinkOpened !== undefined, family: null };
}

/** Goes over a text once and takes it apart into content, reasoning and calls. */
export class Walk {
  pieces: Piece[] = [];
  private readonly tags: ReasoningTagFinder;
  private readonly start: number;
  private marks: Cursor;
  private readonly starts: readonly Cursor[];

  constructor(
    protected readonly source: Source,
    protected readonly look: WalkMarkers,
    public state: WalkState,
  ) {
    this.tags = new ReasoningTagFinder(source.text);
    this.start = state.at;
    this.marks = new Cursor(source.text, this.markers);
    this.starts = look.starts.map((starts) => new Cursor(source.text, starts));
  }

  run(): this {
    while (this.step());
    return this;
  }

  /** What is looked for now. */
  protected get markers(): Markers {
    const { family } = this.state;
    return family === null ? this.look.all : this.look.own(family);
  }

  /** Text without any more marks. */
  protected rest(): void {
    this.content(this.source.text.length);
  }

  /** A think block without its end. */
  protected unclosed(): void {
    const { state, source } = this;
    this.pieces.push({ kind: 'reasoning', text: source.text.slice(state.at), closed: false });
    state.at = source.text.length;
  }

  /** All that was read so far turned out to be reasoning. */
  protected onlyThought(): void {}

  /** Whether what a format answers at a marker may be taken. */
  protected accepts(_marked: Marked, _found: FormatRead | null): boolean {
    return true;
  }

  protected content(to: number): void {
    const { state, source } = this;
    const text = source.text.slice(state.at, to);
    if (text !== '') this.pieces.push({ kind: 'content', text });
    state.at = Math.max(state.at, to);
  }

  private step(): boolean {
    const { state } = this;
    if (state.inside !== null) return this.reason(state.inside);
    const tag = this.tags.next(state.at);
    const marked = this.nextMarked(state.at);
    if (marked !== null && (tag === null || marked.at < tag.at)) return this.readCalls(marked);
    if (tag === null) {
      this.rest();
      return false;
    }
    this.meet(tag);
    return true;
  }

  /** An opening tag begins a block; the first closing one, when none was opened, ends a block that the prompt began. */
  private meet(tag: ReasoningTag): void {
    const { state, source } = this;
    if (tag.close === null && state.opened) {
      this.content(tag.end);
      return;
    }
    this.content(tag.at);
    if (tag.close === null) {
      this.pieces = [{ kind: 'reasoning', text: source.text.slice(this.start, tag.at), closed: true }];
      state.family = null;
      this.marks = new Cursor(source.text, this.markers);
      this.onlyThought();
    } else state.inside = tag.close;
    state.opened = true;
    state.at = tag.end;
  }

  private reason(close: string): boolean {
    const { state, source } = this;
    const found = this.tags.closeOf(close === 'any' ? null : close, state.at);
    if (found === null) {
      this.unclosed();
      return false;
    }
    this.pieces.push({ kind: 'reasoning', text: source.text.slice(state.at, found.at), closed: true });
    state.at = found.end;
    state.inside = null;
    return true;
  }

  private readCalls(marked: Marked): boolean {
    const { state } = this;
    const found = marked.bare ? this.bareAt(marked) : this.ask(marked);
    if (!this.accepts(marked, found)) {
      this.content(marked.at);
      return false;
    }
    if (found === null) {
      this.content(marked.end);
      return true;
    }
    // Whatever a format answers, the walk moves on.
    const end = Math.max(found.read.end, marked.at + 1);
    if (marked.bare && this.look.bareIsText) {
      this.content(isSound(found) ? end : marked.end);
      return true;
    }
    this.content(marked.at);
    this.pieces.push({ kind: 'calls', at: marked.at, format: found.format, read: found.read });
    state.at = end;
    if (state.family === null) {
      state.family = this.look.familyOf(found.format);
      this.marks = new Cursor(this.source.text, this.markers);
    }
    return true;
  }

  private bareAt(marked: Marked): FormatRead | null {
    const { bareReads } = this.look;
    const known = bareReads.get(marked.at);
    if (known !== undefined) return known;
    const found = this.ask(marked);
    if (found !== null) bareReads.set(marked.at, found);
    return found;
  }

  private ask({ at, formats }: Marked): FormatRead | null {
    for (const format of formats) {
      const read = format.read(this.source, at, this.look.context);
      if (read !== null) return { format, read };
    }
    return null;
  }

  /** The next place of a mark, or of a call without marks; a mark goes first. */
  private nextMarked(from: number): Marked | null {
    let first = this.marks.next(from);
    for (const starts of this.starts) {
      const start = starts.next(from);
      if (start !== null && (first === null || start.at < first.at)) first = start;
    }
    return first;
  }
}

/** All of it could be read: its end is known. */
export function isSound({ read }: FormatRead): boolean {
  return read.failures.length === 0;
}
