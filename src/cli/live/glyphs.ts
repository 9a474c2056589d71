import { ROLLOUT_MARKS } from '../../report/rollout-mark.js';
import { MARKS, type Mark } from '../../runs/status/run-view.js';

const ESC = '\u001b[';

/** One column wide each, and told apart without colour. */
export const GLYPHS: Record<Mark, string> = {
  waiting: '·',
  starting: '○',
  agent: '▸',
  verifying: '◇',
  passed: ROLLOUT_MARKS.passed.sign,
  partly: ROLLOUT_MARKS.partly.sign,
  failed: ROLLOUT_MARKS.failed.sign,
  infrastructure: ROLLOUT_MARKS.infrastructure.sign,
  unscored: ROLLOUT_MARKS.unscored.sign,
  cancelled: ROLLOUT_MARKS.cancelled.sign,
};

const COLOURS: Record<Mark, number> = {
  waiting: 90,
  starting: 36,
  agent: 36,
  verifying: 34,
  passed: 32,
  partly: 33,
  failed: 31,
  infrastructure: 35,
  unscored: 36,
  cancelled: 90,
};

export const NAMES: Record<Mark, string> = {
  waiting: 'waiting',
  starting: 'starting',
  agent: 'running',
  verifying: 'verifying',
  passed: 'passed',
  partly: 'partly',
  failed: 'failed',
  infrastructure: 'infrastructure',
  unscored: 'done',
  cancelled: 'cancelled',
};

/** Colours text, or leaves it alone where colour is off. */
export type Paint = (text: string, mark: Mark | 'dim' | 'bold') => string;

export const noPaint: Paint = (text) => text;

export const ansiPaint: Paint = (text, style) => {
  const code = style === 'dim' ? 2 : style === 'bold' ? 1 : COLOURS[style];
  return `${ESC}${code}m${text}${ESC}0m`;
};

/** A row of marks, one colour change per stretch of equal marks. */
export function paintMarks(marks: readonly Mark[], paint: Paint): string {
  let line = '';
  for (let start = 0; start < marks.length; ) {
    const mark = marks[start] as Mark;
    let end = start + 1;
    while (marks[end] === mark) end += 1;
    line += paint(GLYPHS[mark].repeat(end - start), mark);
    start = end;
  }
  return line;
}

/** Marks in the order of a stacked bar: what is done first, best first. */
export const BAR_ORDER: readonly Mark[] = [...MARKS.slice(4), 'verifying', 'agent', 'starting', 'waiting'];
