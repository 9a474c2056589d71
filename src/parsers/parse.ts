import { type Asked, askedFamily } from './asked-family.js';
import { onlyMeantCalls } from './bare-calls.js';
import type { ReadContext, Source } from './call-format.js';
import { collect } from './collect.js';
import { allMarks, BARE_STARTS, familyOf, ownMarks, writesBareCalls } from './families.js';
import { marksOf } from './marker-set.js';
import type { ParseOptions, ParseResult } from './parse-result.js';
import { createSource } from './source.js';
import { firstState, type Piece, Walk, type WalkMarkers } from './walk.js';

/**
 * Reads the text of a model: its calls in whatever format they stand, its reasoning, and everything
 * else. Pure, never throws, and takes time linear in the length of the text.
 */
export function parse(text: string, options: ParseOptions): ParseResult {
  const asked = askedFamily(options.family);
  const context = contextOf(options);
  const source = createSource(text);
  const look = walkMarkers(asked, context);
  const marked = new Walk(source, look, firstState(options.thinkOpened)).run();
  const { family } = marked.state;
  const bare = family === null ? walkBare(source, look, asked, options) : null;
  if (bare === null) return collect(marked.pieces, family, asked, options);
  const first = bare.find((piece) => piece.kind === 'calls');
  return collect(bare, first ? familyOf(first.format, asked.family) : null, asked, options);
}

export function contextOf({ tools = [] }: Pick<ParseOptions, 'tools'>): ReadContext {
  return { tools: new Map(tools.map((tool) => [tool.name, tool])) };
}

export function walkMarkers(asked: Asked, context: ReadContext): WalkMarkers {
  return {
    context,
    all: allMarks(asked.family),
    own: ownMarks,
    starts: BARE_STARTS,
    bareIsText: true,
    bareReads: new Map(),
    familyOf: (format) => familyOf(format, asked.family),
  };
}

const NO_MARKS = marksOf([]);

/** Calls without marks count only in a text that has no marked ones: quoted beside them they are prose. */
function walkBare(source: Source, look: WalkMarkers, asked: Asked, options: ParseOptions): Piece[] | null {
  const bare: WalkMarkers = { ...look, all: NO_MARKS, own: () => NO_MARKS, bareIsText: false };
  const { pieces } = new Walk(source, bare, firstState(options.thinkOpened)).run();
  return onlyMeantCalls(pieces, source.text, look.context, writesBareCalls(asked.family));
}
