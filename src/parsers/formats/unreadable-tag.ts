import type { CallFormat } from '../call-format.js';
import { findFirst } from '../source.js';

const OPEN = '<tool_call>';
const CLOSE = '</tool_call>';

/**
 * A `<tool_call>` block that no format can read. Asked last: where the tag begins a line and is
 * closed, or is all of its line, a call was meant; elsewhere it is prose about tags.
 */
export const unreadableTag: CallFormat = {
  name: 'unreadable-tag',
  family: 'hermes',
  markers: [OPEN],
  read(source, at) {
    const { text } = source;
    const inside = at + OPEN.length;
    const stop = findFirst(source, [CLOSE, OPEN], inside);
    const closed = text.startsWith(CLOSE, stop);
    if (!beginsLine(text, at) || (!closed && text[inside] !== '\n')) return null;
    const end = stop + (closed ? CLOSE.length : 0);
    const raw = text.slice(at, end);
    const message = 'there is no call in a form that is known between the tags';
    const failures = [{ code: 'malformed' as const, message, raw, offset: at }];
    return { end, calls: [], failures, text: '', closed: stop < text.length };
  },
  render: () => '',
};

function beginsLine(text: string, at: number): boolean {
  let before = at;
  while (before > 0 && (text[before - 1] === ' ' || text[before - 1] === '\t')) before -= 1;
  return before === 0 || text[before - 1] === '\n' || text[before - 1] === '>';
}
