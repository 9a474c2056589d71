const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** What terminals draw two columns wide. */
const WIDE =
  /^(?:\p{Emoji_Presentation}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\u3000-\u303f\uff01-\uff60])/u;
const ASCII = /^[\x20-\x7e]*$/;

/** Columns that text takes on a terminal; it must hold no control characters. */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** Text cut to a number of columns, the cut marked by an ellipsis. */
export function cutToWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let kept = '';
  let width = 1;
  for (const { segment } of segmenter.segment(text)) {
    width += WIDE.test(segment) ? 2 : 1;
    if (width > columns) break;
    kept += segment;
  }
  return columns < 1 ? '' : `${kept}…`;
}
