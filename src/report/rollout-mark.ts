import type { RolloutResult } from '../store/records/records.schema.js';
import type { StyleName } from './style.js';

/** How one rollout ended, as one column: told apart without colour, too. */
export interface RolloutMark {
  sign: string;
  style: StyleName;
  meaning: string;
}

export const ROLLOUT_MARKS = {
  passed: { sign: '✔', style: 'green', meaning: 'passed' },
  partly: { sign: '◐', style: 'yellow', meaning: 'partly' },
  failed: { sign: '✘', style: 'red', meaning: 'failed' },
  infrastructure: { sign: '⚠', style: 'yellow', meaning: 'infrastructure, not scored' },
  unscored: { sign: '●', style: 'dim', meaning: 'done, nothing scores it' },
  cancelled: { sign: '–', style: 'dim', meaning: 'cancelled' },
} as const satisfies Record<string, RolloutMark>;

const WITHOUT_SCORE = {
  agent: 'unscored',
  infrastructure: 'infrastructure',
  operator: 'cancelled',
} as const satisfies Record<RolloutResult['failureClass'], keyof typeof ROLLOUT_MARKS>;

/** `partly`: a reward above zero that does not reach the threshold. */
export function rolloutMark(result: RolloutResult, passThreshold: number): RolloutMark {
  if (result.reward === null) return ROLLOUT_MARKS[WITHOUT_SCORE[result.failureClass]];
  if (result.reward >= passThreshold) return ROLLOUT_MARKS.passed;
  return result.reward > 0 ? ROLLOUT_MARKS.partly : ROLLOUT_MARKS.failed;
}
