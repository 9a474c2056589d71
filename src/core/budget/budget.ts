/** An amount of what model calls take: tokens and US dollars. */
export interface Tally {
  tokens: number;
  costUsd: number;
}

/** What may be spent at most; null = without limit. */
export interface Ceiling {
  tokens: number | null;
  costUsd: number | null;
}

export type BudgetStop = 'token_budget' | 'cost_budget';

/** Whose ceiling it is: one rollout over its attempts, the rollouts of one task, the whole run. */
export type BudgetScope = 'rollout' | 'group' | 'run';

export const NO_TALLY: Tally = { tokens: 0, costUsd: 0 };

/** Sums of dollars carry noise far below a cent: it must not refuse a call that fits exactly. */
const COST_NOISE = 1e-9;

export function addTally(a: Tally, b: Tally): Tally {
  return { tokens: a.tokens + b.tokens, costUsd: a.costUsd + b.costUsd };
}

export function subtractTally(a: Tally, b: Tally): Tally {
  return { tokens: a.tokens - b.tokens, costUsd: a.costUsd - b.costUsd };
}

/** Amount by amount. */
export function leastTally(a: Tally, b: Tally): Tally {
  return { tokens: Math.min(a.tokens, b.tokens), costUsd: Math.min(a.costUsd, b.costUsd) };
}

export function mostTally(a: Tally, b: Tally): Tally {
  return { tokens: Math.max(a.tokens, b.tokens), costUsd: Math.max(a.costUsd, b.costUsd) };
}

export function sumTallies(tallies: Iterable<Tally>): Tally {
  let total = NO_TALLY;
  for (const tally of tallies) total = addTally(total, tally);
  return total;
}

export function isUnlimited(ceiling: Ceiling): boolean {
  return ceiling.tokens === null && ceiling.costUsd === null;
}

/** Which ceiling an amount goes over, or null. */
export function overrun(ceiling: Ceiling, { tokens, costUsd }: Tally): BudgetStop | null {
  if (ceiling.tokens !== null && tokens > ceiling.tokens) return 'token_budget';
  return ceiling.costUsd !== null && costUsd > ceiling.costUsd + COST_NOISE ? 'cost_budget' : null;
}
