import { largest } from '../../core/lists/extremes.js';
import type { SamplingTokenizer } from '../../core/model/chat-tokenizer.js';

/** One way to go on with a text: an id, or several where one character is spelled by several. */
export interface Spelling {
  ids: readonly number[];
  /** Characters of the text that it stands for. */
  length: number;
  /** As the tokenizer itself would spell it here. */
  usual: boolean;
}

/** The ids with which a text can be spelled, one piece at a time. */
export class Spellings {
  private readonly byText = new Map<string, number>();
  private readonly longest: number;

  constructor(private readonly tokenizer: SamplingTokenizer) {
    for (const [id, text] of tokenizer.vocabulary())
      if (text !== '' && !text.includes('\uFFFD') && !this.byText.has(text)) this.byText.set(text, id);
    this.longest = largest(
      [...this.byText.keys()].map((text) => text.length),
      1,
    );
  }

  /** How the text can be spelled, by where a piece begins; null where the pieces of this tokenizer do not add up to it. */
  of(text: string): ((at: number) => Spelling[]) | null {
    const usual = this.usual(text);
    if (usual === null) return null;
    return (at) => {
      const first = usual.get(at) ?? null;
      const others = this.prefixes(text, at).filter(({ ids }) => ids[0] !== first?.ids[0]);
      const found = first === null ? others : [first, ...others];
      return found.length > 0 ? found : [this.character(text, at)];
    };
  }

  private prefixes(text: string, at: number): Spelling[] {
    const found: Spelling[] = [];
    for (let length = 1; length <= Math.min(this.longest, text.length - at); length++) {
      const id = this.byText.get(text.slice(at, at + length));
      if (id !== undefined) found.push({ ids: [id], length, usual: false });
    }
    return found;
  }

  /** The tokenizer's own spelling, by where its pieces begin. */
  private usual(text: string): Map<number, Spelling> | null {
    const pieces = new Map<number, Spelling>();
    let at = 0;
    let ids: number[] = [];
    for (const id of this.tokenizer.encode(text)) {
      ids.push(id);
      const piece = this.tokenizer.decode(ids);
      if (piece.includes('\uFFFD')) continue;
      if (!text.startsWith(piece, at)) return null;
      pieces.set(at, { ids, length: piece.length, usual: true });
      at += piece.length;
      ids = [];
    }
    return at === text.length ? pieces : null;
  }

  private character(text: string, at: number): Spelling {
    const character = String.fromCodePoint(text.codePointAt(at) as number);
    return { ids: this.tokenizer.encode(character), length: character.length, usual: false };
  }
}
