import type { GroupKey } from '../../core/ids.js';
import { largest } from '../../core/lists/extremes.js';
import { scoredItems } from '../../formats/atropos-group/scored-items.js';
import { Deliveries } from '../host/deliveries.js';
import type { FedGroup, SinkContext } from '../sink.js';
import type { Listener } from './listener.js';
import type { PolicyMark } from './listener.schema.js';
import { readScoredData } from './scored-data.js';

/** Queues the groups of the run that listens. */
export interface OwnGroups {
  /** Once it returns, the group is in the queue for good, or the ledger says why it is not. */
  take(key: GroupKey): Promise<void>;
}

export function ownGroups(context: SinkContext, listener: Listener): OwnGroups {
  const { run, name, store, feed, policies, logger, now } = context;
  const serve = run.config.serve;
  const ledger = new Deliveries(store, name, now);
  const longest = (): number | null => {
    const said = listener.state.registration?.maxTokenLen ?? 0;
    return serve?.maxTokenLength ?? (said > 0 ? said : null);
  };
  return {
    async take(key) {
      const before = await ledger.read(key);
      if (before !== null && (before.state === 'confirmed' || before.state === 'skipped'))
        return feed.settled(key, before.state === 'skipped' ? 'skipped' : 'delivered', before.masked);
      const fed = await feed.read(key);
      const { items, skipped } = scoredItems(fed.record, fed.episodes, {
        maxTokenLength: longest(),
        keepZeroVariance: serve?.keepZeroVariance ?? false,
        lagOf: (sample) => lagOf(fed, sample),
      });
      if (skipped !== null) {
        logger.info({ groupId: fed.record.groupId, reason: skipped.reason }, 'a group goes to no trainer');
        await ledger.put(key, before, { state: 'skipped', reason: skipped.reason });
        return feed.settled(key, 'skipped');
      }
      const mark: PolicyMark = { version: (await policies.latest())?.version ?? null, lag: largestLag(fed) };
      const taken = await listener.queueOwn(items.map((item) => ({ ...readScoredData(item), policy: mark })));
      const details = { items: taken.map(({ id }) => id) };
      await ledger.put(key, before, { state: 'confirmed', attempts: 1, masked: fed.masked, details });
      feed.settled(key, 'delivered', fed.masked);
    },
  };
}

const lagOf = ({ episodes, lags }: FedGroup, sample: number): number | null =>
  lags[episodes.findIndex(({ rollout }) => rollout?.sample === sample)] ?? null;

function largestLag({ lags }: FedGroup): number | null {
  const known = lags.filter((lag) => lag !== null);
  return known.length === 0 ? null : largest(known);
}
