import type { ToolSchema } from '../core/model/messages.js';
import type { Family, ParseFailure, Repair } from './parse-result.js';

/** A text with a memory of searches that came to nothing, so that reading stays linear in its length. */
export interface Source {
  readonly text: string;
  /** Where `needle` begins at or after `from`; -1 when it does not, which is found out once. */
  find(needle: string, from: number): number;
  /** Characters that may still be read again after readings that failed: keeps hostile texts linear. */
  readonly rereads: { left: number };
}

/** A call as one format reads it: no id of ours and no repaired name yet. */
export interface RawCall {
  name: string;
  nativeId: string | null;
  arguments: Record<string, unknown>;
  repairs: Repair[];
  raw: string;
}

/** A stretch of the text that belongs to calls. */
export interface ReadCalls {
  /** Where the text goes on, after the calls. */
  end: number;
  calls: RawCall[];
  failures: ParseFailure[];
  /** Text in between that belongs to no call (prose inside a section); kept in the content. */
  text: string;
  /** Thinking that the format carries outside of think tags (harmony's analysis channel), in order. */
  reasoning?: string[];
  /** The closing mark was seen: more text would not change what was read. */
  closed: boolean;
}

export interface ReadContext {
  tools: ReadonlyMap<string, ToolSchema>;
}

/** A call to be written. */
export interface WrittenCall {
  id: string;
  name: string;
  arguments: Record<string, unknown>;
}

/**
 * One wire format of tool calls. `read` is asked where one of its markers begins and answers what
 * belongs to calls there, or null when it is prose that only mentions the marker. It never throws
 * and takes time linear in what it consumes (plus searches through `source.find`).
 */
export interface CallFormat {
  name: string;
  family: Family;
  markers: readonly string[];
  /** For a format without marks: where its calls may begin. Looked for only in texts without marked calls. */
  starts?: RegExp;
  read(source: Source, at: number, context: ReadContext): ReadCalls | null;
  /** The inverse: text that `read` gives these calls back from. */
  render(calls: readonly WrittenCall[]): string;
}
