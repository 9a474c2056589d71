import type { Connection } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { LongrunError } from '../core/errors.js';
import { SEARCH_ATTRIBUTES } from '../core/run/search-attribute-names.js';

/** temporal.api.enums.v1.IndexedValueType */
const KEYWORD = 2;

/** For queries and typed values on the client's side. */
export const searchAttributeKeys = {
  runId: defineSearchAttributeKey(SEARCH_ATTRIBUTES.runId, 'KEYWORD'),
  taskId: defineSearchAttributeKey(SEARCH_ATTRIBUTES.taskId, 'KEYWORD'),
};

/**
 * Makes sure that the namespace knows our search attributes: workflows that set others are refused at start.
 * Safe to repeat. Errors: `temporal_unreachable` where the cluster does not let us add them.
 */
export async function registerSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const names = Object.values(SEARCH_ATTRIBUTES);
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    const missing = names.filter((name) => customAttributes?.[name] === undefined);
    if (missing.length === 0) return;
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map((name) => [name, KEYWORD])),
    });
  } catch (cause) {
    throw new LongrunError(
      'temporal_unreachable',
      `Search attributes could not be added to namespace ${namespace}`,
      {
        hint: `Add them once: \`temporal operator search-attribute create --namespace ${namespace} ${names.map((name) => `--name ${name} --type Keyword`).join(' ')}\``,
        cause,
      },
    );
  }
}
