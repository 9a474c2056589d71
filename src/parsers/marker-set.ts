import { anyOf } from './any-of.js';
import type { CallFormat } from './call-format.js';

/** A place where calls may begin, and the formats to ask about it, in order. */
export interface Marked {
  at: number;
  end: number;
  formats: readonly CallFormat[];
  /** No mark stands there: it looks like the start of a call. */
  bare: boolean;
}

/** Finds the places where calls of some formats may begin. */
export interface Markers {
  /** Marks as they stand in the text. */
  marks: readonly string[];
  /** The next place at or after `from`. */
  next(text: string, from: number): Marked | null;
}

/** The marks of formats that have some, as one pattern. */
export function marksOf(formats: readonly CallFormat[]): Markers {
  const byMark = new Map<string, CallFormat[]>();
  for (const format of formats)
    for (const mark of format.markers) byMark.set(mark, [...(byMark.get(mark) ?? []), format]);
  // The longest first: one mark may begin like another.
  const marks = [...byMark.keys()].sort((a, b) => b.length - a.length);
  const pattern = anyOf(marks, 'g');
  return {
    marks,
    next(text, from) {
      pattern.lastIndex = from;
      const match = marks.length === 0 ? null : pattern.exec(text);
      if (match === null) return null;
      // Spelled out: a spread costs more than the search.
      const end = match.index + match[0].length;
      return { at: match.index, end, formats: byMark.get(match[0]) ?? [], bare: false };
    },
  };
}

/** The places where a format without marks may begin. */
export function startsOf(format: CallFormat): Markers {
  // Not proved linear: proved where the format gives it, and other flags change nothing about that.
  const pattern = format.starts && new RegExp(format.starts.source, 'gm');
  const formats = [format];
  return {
    marks: [],
    next(text, from) {
      if (!pattern) return null;
      pattern.lastIndex = from;
      const match = pattern.exec(text);
      return match && { at: match.index, end: match.index + match[0].length, formats, bare: true };
    },
  };
}

/** Places in one text, going forward: each is searched for once. */
export class Cursor {
  private found: Marked | null | undefined;

  constructor(
    private readonly text: string,
    readonly markers: Markers,
  ) {}

  /** The next place at or after `from`. */
  next(from: number): Marked | null {
    if (this.found === undefined || (this.found !== null && this.found.at < from))
      this.found = this.markers.next(this.text, from);
    return this.found;
  }
}
