import type { Feedback } from '../store/records/feedback.schema.js';
import { escapeTerminalLine } from './escape-terminal.js';
import type { Style } from './style.js';

/** What people said of a rollout, one a line; the newest counts. */
export function feedbackLines(feedback: readonly Feedback[], style: Style): string[] {
  return feedback.map(({ value, by, at, note }, i) => {
    const when = new Date(at).toISOString().slice(0, 16).replace('T', ' ');
    const said = `feedback ${thumb(value)} · ${escapeTerminalLine(by)} · ${when}${note === null ? '' : ` · ${escapeTerminalLine(note)}`}`;
    return i === feedback.length - 1 ? said : style('dim', said);
  });
}

const thumb = (value: number): string => (value === 1 ? '👍 1' : value === 0 ? '👎 0' : String(value));
