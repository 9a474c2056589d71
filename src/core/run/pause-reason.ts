/** Why nothing new is started: a person said so, a budget is spent, group after group has no score, a sink or a group cannot go on. */
export const PAUSE_REASONS = [
  'person',
  'token_budget',
  'cost_budget',
  'group_budget',
  'dead_groups',
  'sink_failed',
  'group_failed',
] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

/** What is over once a budget is raised. */
export const isBudget = (reason: PauseReason): boolean =>
  reason === 'token_budget' || reason === 'cost_budget' || reason === 'group_budget';

/** Under this name a run's memo says which budget it waits for. */
export const MEMO_PAUSED_BY = 'pausedBy';
/** And under this one more about it, in words. */
export const MEMO_PAUSE_DETAIL = 'pauseDetail';
