/** Search attributes, all of type Keyword. Temporal allows ten per namespace: they only find what is running. */
export const SEARCH_ATTRIBUTES = {
  runId: 'LongrunRunId',
  taskId: 'LongrunTaskId',
} as const;
