import { PUNCTUATION } from '../bare-calls.js';
import type { Source } from '../call-format.js';
import type { Marked } from '../marker-set.js';
import { REASONING_TAGS } from '../reasoning-tags.js';
import { type FormatRead, isSound, Walk, type WalkMarkers, type WalkState } from '../walk.js';

/** So much text behind a marker and formats know whether it is theirs. */
const HEAD = 256;
const LONGEST_TAG = 40;
/** The longest beginning of a call without marks that is not yet known for one. */
const LONGEST_START = 300;
/** Up to the end of the text, what may become the start of a call without marks. */
const UNFINISHED_START =
  /(?:`{1,3}|(?:```[A-Za-z]*\s*)?(?:\[\s*)?(?:\{\s*(?:["'][A-Za-z_]*(?:["']\s*)?)?)?|(?<![^\n])[ \t]*(?:\[\s*)?(?:[\w.-]+[ \t]*)?\n?|(?<![^\n])[ \t]*\[\s*[A-Za-z_][\w.-]*\(\s*(?:[A-Za-z_]\w*\s*|\*)?)$/y;

/** Where and in what state the walk has to begin again, unless it comes out that a marked call follows. */
interface Hold {
  pieces: number;
  state: WalkState;
  said: boolean;
}

/**
 * Goes over what has arrived of a text, as far as it is certain: its pieces and state are those that
 * the walk over the whole text goes through, however the text goes on.
 */
export class PartialWalk extends Walk {
  private hold: Hold | null = null;
  /** Content without calls was said: the text is not calls and nothing else. */
  said: boolean;
  private readonly before: WalkState;

  /** `bareInProse`: JSON without marks may be a call anywhere; else only where nothing was said before. */
  constructor(
    source: Source,
    look: WalkMarkers,
    state: WalkState,
    private readonly bare: { inProse: boolean; said: boolean },
  ) {
    super(source, look, { ...state });
    this.before = { ...state };
    this.said = bare.said;
  }

  override run(): this {
    super.run();
    const hold = this.state.family === null ? this.hold : null;
    // Until a block was opened, a closing tag may still make all of it reasoning.
    if (!(hold ?? this).state.opened) this.goBack({ pieces: 0, state: this.before, said: this.bare.said });
    else if (hold !== null) this.goBack(hold);
    return this;
  }

  protected override rest(): void {
    const end = this.certainEnd([...this.markers.marks, ...REASONING_TAGS]);
    this.content(Math.min(end, this.unfinishedStart()));
  }

  protected override unclosed(): void {
    const { state, source } = this;
    const end = this.certainEnd(REASONING_TAGS);
    const text = source.text.slice(state.at, end);
    if (text !== '') this.pieces.push({ kind: 'reasoning', text, closed: false });
    state.at = Math.max(state.at, end);
  }

  protected override onlyThought(): void {
    this.said = false;
  }

  protected override accepts(marked: Marked, found: FormatRead | null): boolean {
    if (!marked.bare) return this.acceptsMarked(marked, found);
    if (found === null || !isSound(found)) return false;
    if (this.hold === null && this.state.family === null) this.holdAt(marked.at);
    return found.read.end < this.source.text.length;
  }

  private acceptsMarked({ end }: Marked, found: FormatRead | null): boolean {
    if (found === null) return this.source.text.length - end >= HEAD;
    // What seems cut off at a closing mark may yet turn out to be a text with that mark in it.
    return found.read.closed && found.read.failures.every(({ code }) => code !== 'truncated');
  }

  protected override content(to: number): void {
    this.said ||= !PUNCTUATION.test(this.source.text.slice(this.state.at, to));
    super.content(to);
  }

  /** Calls without marks count if no marked ones follow, which is known at the end. */
  private holdAt(at: number): void {
    this.content(at);
    if (this.bare.inProse || !this.said)
      this.hold = { pieces: this.pieces.length, state: { ...this.state }, said: this.said };
  }

  private unfinishedStart(): number {
    const { text } = this.source;
    for (let at = Math.max(this.state.at, text.length - LONGEST_START); at < text.length; at++) {
      UNFINISHED_START.lastIndex = at;
      if (UNFINISHED_START.test(text)) return at;
    }
    return text.length;
  }

  /** Before what may be the beginning of a tag that has not arrived yet. */
  private certainEnd(tags: readonly string[]): number {
    const { text } = this.source;
    for (let at = Math.max(this.state.at, text.length - LONGEST_TAG); at < text.length; at++) {
      // Only the end changes its case: letters may grow by that, and offsets in the whole would no longer be those of the text.
      const end = text.slice(at).toLowerCase();
      if (tags.some((tag) => tag.toLowerCase().startsWith(end))) return at;
    }
    return text.length;
  }

  private goBack({ pieces, state, said }: Hold): void {
    this.pieces = this.pieces.slice(0, pieces);
    this.state = { ...state };
    this.said = said;
  }
}
