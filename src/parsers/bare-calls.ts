import type { ReadContext } from './call-format.js';
import { repairName } from './name-repair.js';
import type { Piece } from './walk.js';

/** What may stand around and between calls in a text that is nothing but calls. */
export const PUNCTUATION = /^[\s;,.`]*$/;

/**
 * Of the JSON found in a text, what is meant as calls: all of it where the text is nothing else,
 * else (`inProse`) what names a known tool. The rest is content again. Null when nothing is left.
 */
export function onlyMeantCalls(
  pieces: readonly Piece[],
  text: string,
  { tools }: ReadContext,
  inProse: boolean,
): Piece[] | null {
  const known = [...tools.keys()];
  const nothingElse =
    pieces.every((piece) => piece.kind !== 'content' || PUNCTUATION.test(piece.text)) &&
    pieces.every((piece) => piece.kind !== 'calls' || isRead(piece));
  const isMeant = (piece: Piece & { kind: 'calls' }): boolean =>
    isRead(piece) &&
    (nothingElse ||
      (inProse && (piece.read.failures.length > 0 || piece.read.calls.some((call) => isKnown(call.name)))));
  const isKnown = (name: string): boolean => repairName(name, known)?.near === false;
  let meant = false;
  const kept = pieces.map((piece): Piece => {
    if (piece.kind !== 'calls') return piece;
    if (!isMeant(piece)) return { kind: 'content', text: text.slice(piece.at, piece.read.end) };
    meant = true;
    return piece;
  });
  if (!meant) return null;
  const first = kept.findIndex(({ kind }) => kind === 'calls');
  return kept.filter(({ kind }, index) => !nothingElse || index < first || kind !== 'content');
}

function isRead({ read }: Piece & { kind: 'calls' }): boolean {
  return read.calls.length > 0 || read.failures.length > 0;
}
