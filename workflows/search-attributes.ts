import { defineSearchAttributeKey } from '@temporalio/common';
import type { GroupKey, RolloutKey } from '../src/core/ids.js';
import { SEARCH_ATTRIBUTES } from '../src/core/run/search-attribute-names.js';

const runIdKey = defineSearchAttributeKey(SEARCH_ATTRIBUTES.runId, 'KEYWORD');
const taskIdKey = defineSearchAttributeKey(SEARCH_ATTRIBUTES.taskId, 'KEYWORD');

/** They only find what is running; lists and statistics come from the store. */
export function runAttributes(runId: string) {
  return [{ key: runIdKey, value: runId }];
}

/** Of a rollout, or of a group. */
export function rolloutAttributes({ runId, taskId }: RolloutKey | GroupKey) {
  return [...runAttributes(runId), { key: taskIdKey, value: taskId }];
}
