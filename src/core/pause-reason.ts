/** Why nothing new is started: a person said so, a budget is spent, or group after group has no score. */
export const PAUSE_REASONS = [
  'person',
  'token_budget',
  'cost_budget',
  'group_budget',
  'dead_groups',
] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

/** What is over once a budget is raised. */
export const isBudget = (reason: PauseReason): boolean => reason !== 'person' && reason !== 'dead_groups';

/** Under this name a run's memo says which budget it waits for. */
export const MEMO_PAUSED_BY = 'pausedBy';
