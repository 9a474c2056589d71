import { UNTRAINED_LABEL, UNTRAINED_LOGPROB } from '../../formats/atropos-group/encode-sequence.js';
import type { PolicyVersions } from '../sink.js';
import type { PolicyMark } from './listener.schema.js';
import { readScoredData, type ScoredItem } from './scored-data.js';

/** The parts of an item of our own that are looked at. */
interface Entries {
  tokens: number[][];
  masks: number[][];
  inference_logprobs: number[][] | null;
  overrides: ({ lag?: number | null } & Record<string, unknown>)[] | null;
}

/** How many versions have come since an item was queued, where that makes one of its rollouts too old; else null. */
export async function versionsSince(
  mark: PolicyMark | null,
  policies: Pick<PolicyVersions, 'lagOf'>,
  maxLag: number | null,
): Promise<number | null> {
  if (maxLag === null || mark === null || mark.lag === null) return null;
  const since = await policies.lagOf(mark.version);
  return since !== null && since > 0 && mark.lag + since > maxLag ? since : null;
}

/**
 * An item that waited while `since` versions came: rollouts that are older than `maxLag` now are not trained. They
 * stay in it with their scores, so that the others are measured against the whole group.
 */
export function maskStale(json: string, since: number, maxLag: number): ScoredItem {
  const item = JSON.parse(json) as Entries & Record<string, unknown>;
  const overrides = item.overrides?.map((entry) => aged(entry, since, maxLag)) ?? null;
  const stale = (i: number) => overrides?.[i]?.stale === true;
  return readScoredData({
    ...item,
    overrides,
    masks: item.masks.map((labels, i) => (stale(i) ? labels.map(() => UNTRAINED_LABEL) : labels)),
    inference_logprobs:
      item.inference_logprobs?.map((values, i) =>
        stale(i) ? values.map(() => UNTRAINED_LOGPROB) : values,
      ) ?? null,
  });
}

function aged(entry: NonNullable<Entries['overrides']>[number], since: number, maxLag: number) {
  if (typeof entry.lag !== 'number') return entry;
  const lag = entry.lag + since;
  return lag > maxLag ? { ...entry, lag, stale: true, set_advantage_to_zero: true } : { ...entry, lag };
}
