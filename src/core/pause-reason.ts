/** Why nothing new is started: a person said so, or a budget is spent. */
export const PAUSE_REASONS = ['person', 'token_budget', 'cost_budget', 'group_budget'] as const;
export type PauseReason = (typeof PAUSE_REASONS)[number];

/** Under this name a run's memo says which budget it waits for. */
export const MEMO_PAUSED_BY = 'pausedBy';
