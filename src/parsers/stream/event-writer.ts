import { CallFinisher } from '../calls/finish-calls.js';
import { ContentJoiner } from '../collect.js';
import type { ParsedToolCall, ParseFailure, ParseOptions } from '../parse-result.js';
import type { Piece } from '../walk.js';

/** What is certain of a text that is still arriving. */
export type StreamEvent =
  | { kind: 'content'; text: string }
  | { kind: 'reasoning'; text: string }
  | { kind: 'call'; call: ParsedToolCall }
  | { kind: 'failure'; failure: ParseFailure };

/** Writes pieces as events whose texts, put together, are the beginning of the result's. */
export class EventWriter {
  private readonly finisher: CallFinisher;
  private readonly joiner = new ContentJoiner();
  private readonly content = new TrimmedText();
  private readonly reasoning = new TrimmedText();

  constructor(options: Omit<ParseOptions, 'family'>) {
    this.finisher = new CallFinisher(options);
  }

  /** `base`: where the text of the pieces begins within the whole. */
  write(pieces: readonly Piece[], base: number): StreamEvent[] {
    const events: StreamEvent[] = [];
    for (const piece of pieces) {
      if (piece.kind === 'content') this.say(piece.text, events);
      else if (piece.kind === 'reasoning') {
        this.joiner.cut();
        this.think(piece.text, piece.closed, events);
      } else this.writeCalls(piece, base, events);
    }
    return events;
  }

  private writeCalls({ read }: Piece & { kind: 'calls' }, base: number, events: StreamEvent[]): void {
    this.joiner.cut();
    this.say(read.text, events);
    this.joiner.cut();
    for (const block of read.reasoning ?? []) this.think(block, true, events);
    for (const call of read.calls) events.push({ kind: 'call', call: this.finisher.finish(call) });
    for (const failure of read.failures)
      events.push({ kind: 'failure', failure: { ...failure, offset: failure.offset + base } });
  }

  private say(text: string, events: StreamEvent[]): void {
    const added = this.content.add(this.joiner.add(text));
    if (added !== '') events.push({ kind: 'content', text: added });
  }

  private think(text: string, closed: boolean, events: StreamEvent[]): void {
    const added = this.reasoning.add(text);
    if (added !== '') events.push({ kind: 'reasoning', text: added });
    if (closed) this.reasoning.endBlock();
  }
}

/** Text without white space around it, and of blocks in it, although its end is not known yet. */
class TrimmedText {
  private space = '';
  private before: '' | '\n\n' = '';
  private inBlock = false;

  add(text: string): string {
    const held = this.space + text;
    const shown = this.inBlock ? held.trimEnd() : held.trim();
    if (shown === '') {
      this.space = this.inBlock ? held : '';
      return '';
    }
    this.space = held.slice(held.trimEnd().length);
    const added = this.inBlock ? shown : this.before + shown;
    this.inBlock = true;
    return added;
  }

  endBlock(): void {
    if (this.inBlock) this.before = '\n\n';
    this.inBlock = false;
    this.space = '';
  }
}
