import { badInput } from '../../core/errors.js';
import type { InputRow } from '../import-format.js';

/** The `reward` of a row; null where it has none. Throws `bad_input`: what is no number is not guessed at. */
export function rewardOf({ reward }: InputRow): number | null {
  if (reward === null || reward === undefined) return null;
  if (typeof reward === 'number') return reward;
  throw badInput(`reward: found ${JSON.stringify(reward)}, accepted is a number or null`);
}

/** Whether a row is complete; one that does not say is a sample like any other. Throws `bad_input`. */
export function completedOf({ completed }: InputRow): boolean {
  if (completed === null || completed === undefined) return true;
  if (typeof completed === 'boolean') return completed;
  throw badInput(`completed: found ${JSON.stringify(completed)}, accepted is true or false`);
}

/** Columns that a format does not know, which go to the row's own fields: nothing of another tool's row is lost. */
export function foreignFields(row: InputRow, known: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([key, value]) => !known.has(key) && value !== null));
}
