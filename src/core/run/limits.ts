import type { RunConfig } from './run-config.schema.js';

/** What of a run may be changed while it goes. */
export const AMENDABLE = [
  'budgetUsd',
  'budgetTokens',
  'groupBudgetUsd',
  'groupBudgetTokens',
  'rolloutBudgetUsd',
  'rolloutBudgetTokens',
  'concurrency',
  'weight',
  'priority',
] as const satisfies (keyof RunConfig)[];
export type Amendable = (typeof AMENDABLE)[number];

/** Null = as it was. */
export type LimitChanges = { [name in Amendable]: number | null };

/** A run's settings after changes, oldest first. */
export function amendedConfig(config: RunConfig, changes: readonly Partial<LimitChanges>[]): RunConfig {
  const amended = { ...config };
  for (const change of changes)
    for (const name of AMENDABLE) {
      const value = change[name];
      if (typeof value === 'number') amended[name] = value;
    }
  return amended;
}
