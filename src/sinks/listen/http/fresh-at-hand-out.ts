import type { ServeConfig } from '../../../core/run/serve-config.schema.js';
import type { SinkContext } from '../../sink.js';
import { itemJson, type ListenerOptions, maskStale, versionsSince } from '../index.js';

/** Masks what became too old in the queue, under `maxLag`. */
export function freshAtHandOut(
  { policies, logger }: SinkContext,
  { maxLag }: ServeConfig,
): ListenerOptions['atHandOut'] {
  return async (item, stored) => {
    const since = await versionsSince(item.policy, policies, maxLag);
    if (since === null || maxLag === null) return stored;
    logger.info(
      { groupId: item.groupId, since },
      'rollouts became too old while they waited, and are masked',
    );
    const { groupOverrides, rest } = maskStale(itemJson(stored).toString('utf8'), since, maxLag);
    return { groupOverrides, rest: Buffer.from(rest) };
  };
}
