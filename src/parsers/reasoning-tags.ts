import { anyOf } from './any-of.js';

/** Names of the tags that models reason in, in angle brackets and in any case. */
const NAMES = ['think', 'thinking', 'thought', 'reasoning', 'REASONING_SCRATCHPAD'] as const;

/** Tags of their own: Magistral's and Kimi 1.5's. */
const OTHERS: readonly (readonly [open: string, close: string])[] = [
  ['[THINK]', '[/THINK]'],
  ['◁think▷', '◁/think▷'],
];

const OPEN_TO_CLOSE = new Map<string, string>([
  ...NAMES.map((name) => [`<${name}>`.toLowerCase(), `</${name}>`.toLowerCase()] as const),
  ...OTHERS.map(([open, close]) => [open.toLowerCase(), close.toLowerCase()] as const),
]);

/** Every reasoning tag, opening and closing, in lower case. */
export const REASONING_TAGS: readonly string[] = [...OPEN_TO_CLOSE].flat();

/** A tag found in a text. */
export interface ReasoningTag {
  at: number;
  end: number;
  /** The tag that closes it; null when it is a closing tag itself. */
  close: string | null;
}

/** Finds reasoning tags from any position, going forward only. */
export class ReasoningTagFinder {
  private readonly any = anyOf(REASONING_TAGS, 'gi');
  private readonly closing = new Map<string, RegExp>();
  private found: ReasoningTag | null = null;
  private exhausted = false;

  constructor(private readonly text: string) {}

  /** The next tag at or after `from`. */
  next(from: number): ReasoningTag | null {
    if (this.exhausted || (this.found !== null && this.found.at >= from)) return this.found;
    this.any.lastIndex = from;
    const match = this.any.exec(this.text);
    this.exhausted = match === null;
    this.found = match && {
      at: match.index,
      end: match.index + match[0].length,
      close: OPEN_TO_CLOSE.get(match[0].toLowerCase()) ?? null,
    };
    return this.found;
  }

  /** Where the block that `close` ends is closed; `close` null: by any closing tag. */
  closeOf(close: string | null, from: number): { at: number; end: number } | null {
    const key = close ?? '';
    let pattern = this.closing.get(key);
    if (!pattern) {
      pattern = anyOf(close === null ? OPEN_TO_CLOSE.values() : [close], 'gi');
      this.closing.set(key, pattern);
    }
    pattern.lastIndex = from;
    const match = pattern.exec(this.text);
    return match && { at: match.index, end: match.index + match[0].length };
  }
}
