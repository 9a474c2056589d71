import { append } from '../core/lists/append.js';
import type { Asked } from './asked-family.js';
import { CallFinisher } from './calls/finish-calls.js';
import type { Family, ParseOptions, ParseResult } from './parse-result.js';
import type { Piece } from './walk.js';

/** Puts the pieces of a text together. */
export function collect(
  pieces: readonly Piece[],
  read: Family | null,
  asked: Asked,
  options: ParseOptions,
): ParseResult {
  const finisher = new CallFinisher(options);
  const content = new ContentJoiner();
  const reasoning: string[] = [];
  const result: Pick<ParseResult, 'toolCalls' | 'failures'> = { toolCalls: [], failures: [] };
  const notices = [...asked.notices];
  for (const piece of pieces) {
    if (piece.kind === 'content') content.add(piece.text);
    else {
      content.cut();
      if (piece.kind === 'reasoning') {
        reasoning.push(piece.text);
        if (!piece.closed) notices.push('the think block was never closed: all that follows is reasoning');
        continue;
      }
      content.add(piece.read.text);
      content.cut();
      append(reasoning, piece.read.reasoning ?? []);
      append(
        result.toolCalls,
        piece.read.calls.map((call) => finisher.finish(call)),
      );
      append(result.failures, piece.read.failures);
    }
  }
  const family = read ?? asked.family ?? 'openai';
  const mismatch =
    asked.family !== null && family !== asked.family ? { asked: asked.name, found: family } : null;
  return {
    content: content.text.trim(),
    reasoning: joinReasoning(reasoning),
    ...result,
    family,
    mismatch,
    notices: [...notices, ...finisher.notices],
  };
}

/** What think blocks said, a blank line between them; null when they said nothing. */
export function joinReasoning(blocks: readonly string[]): string | null {
  const said = blocks.map((block) => block.trim()).filter((block) => block !== '');
  return said.length === 0 ? null : said.join('\n\n');
}

/** Joins text around calls: words that a call stood between do not run together. */
export class ContentJoiner {
  text = '';
  private wasCut = false;

  /** Something that is no content stood here. */
  cut(): void {
    this.wasCut = this.text !== '';
  }

  /** Answers what was really added. */
  add(text: string): string {
    if (text === '') return '';
    const glued = this.wasCut && /\S$/.test(this.text.slice(-1)) && /^\S/.test(text[0] as string);
    const added = glued ? `\n${text}` : text;
    this.text += added;
    this.wasCut = false;
    return added;
  }
}
