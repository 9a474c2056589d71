/** What the messages of a conversation are for; history limits are set per label. */
export const LABELS = {
  system: 'system',
  task: 'task',
  action: 'action',
  observation: 'observation',
  /** Asks for a usable answer after one that was not. */
  correction: 'correction',
  /** Stands for older turns. */
  summary: 'summary',
  /** Says that older turns are not shown. */
  notice: 'notice',
} as const;

/** history-view without limits of its own: the newest 20 tool results. */
export const DEFAULT_HISTORY_LIMITS: Readonly<Record<string, number>> = { [LABELS.observation]: 20 };
