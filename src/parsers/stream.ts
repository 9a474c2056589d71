import { askedFamily } from './asked-family.js';
import { writesBareCalls } from './families.js';
import { contextOf, parse, walkMarkers } from './parse.js';
import type { ParseOptions, ParseResult } from './parse-result.js';
import { createSource } from './source.js';
import { EventWriter, type StreamEvent } from './stream/event-writer.js';
import { PartialWalk } from './stream/partial-walk.js';
import { firstState, type WalkState } from './walk.js';

export type { StreamEvent } from './stream/event-writer.js';

/** Reads a text while it arrives. */
export interface StreamParser {
  /** Takes a piece of the text and answers what became certain by it. */
  push(chunk: string): StreamEvent[];
  /** The whole result, the same as `parse` has of the whole text; what no event said yet is in it. */
  end(): ParseResult;
}

/** Formats may look at so much of what stands before a marker. */
const LOOK_BEHIND = 256;
/** So much text that waits is read again with every chunk. */
const AT_ONCE = 512;
/** More than that, once it has grown by this share: in all linear in the length of the text. */
const GROWTH = 8;

/**
 * A parser for text in chunks. Events are never taken back, so they come late where later text may
 * change everything: with `thinkOpened` unknown nothing is certain before the first think block.
 */
export function createStreamParser(family: string, options: Omit<ParseOptions, 'family'> = {}): StreamParser {
  const once = { ...options, newId: rememberedIds(options.newId) };
  const reader = new PendingText(family, once);
  const chunks: string[] = [];
  return {
    push(chunk) {
      chunks.push(chunk);
      return reader.push(chunk);
    },
    end: () => parse(chunks.join(''), { ...once, family }),
  };
}

/** The text from the first place on that is not certain yet. */
class PendingText {
  private text = '';
  /** Of `text` within the whole. */
  private base = 0;
  private state: WalkState;
  private said = false;
  private lastTried = 0;
  private readonly writer: EventWriter;
  private readonly look;
  private readonly inProse: boolean;

  constructor(family: string, options: Omit<ParseOptions, 'family'>) {
    const asked = askedFamily(family);
    this.state = firstState(options.thinkOpened);
    this.writer = new EventWriter(options);
    this.look = walkMarkers(asked, contextOf(options));
    this.inProse = writesBareCalls(asked.family);
  }

  push(chunk: string): StreamEvent[] {
    this.text += chunk;
    const waiting = this.text.length - this.state.at;
    if (waiting > AT_ONCE && waiting < this.lastTried + this.lastTried / GROWTH) return [];
    const source = createSource(this.text, this.state.at);
    const look = { ...this.look, bareReads: new Map() };
    const walk = new PartialWalk(source, look, this.state, { inProse: this.inProse, said: this.said });
    const { pieces, state, said } = walk.run();
    const events = this.writer.write(pieces, this.base);
    this.said = said;
    this.state = state;
    this.lastTried = this.text.length - state.at;
    this.forget(state.at - LOOK_BEHIND);
    return events;
  }

  private forget(length: number): void {
    if (length <= 0) return;
    this.text = this.text.slice(length);
    this.base += length;
    this.state = { ...this.state, at: this.state.at - length };
  }
}

/** An id is given once for each call, although calls are read for events and for the result. */
function rememberedIds(newId: ParseOptions['newId']): ParseOptions['newId'] {
  if (newId === undefined) return undefined;
  const ids: string[] = [];
  return (index) => {
    ids[index] ??= newId(index);
    return ids[index];
  };
}
