import type { SinkName } from '../core/run/serve-config.schema.js';
import { AppendLog } from '../store/append-log.js';
import { keys } from '../store/keys.js';
import { readRecord } from '../store/records/records.js';
import type { RunRecord } from '../store/records/records.schema.js';
import { feedEntrySchema, policySchema } from '../store/records/serve.schema.js';
import type { ArtifactStore } from '../store/store.js';
import { type Progress, progressSchema } from './host/progress.schema.js';

/** What people see of a sink; seconds old at most while its executor lives. */
export interface SinkStatus {
  name: SinkName;
  /** Groups that have closed and that it is not done with; null before its first executor. */
  queued: number | null;
  delivered: number;
  /** Refused by the peer, each with its reason in the ledger. */
  parked: number;
  /** Groups that go to no trainer. */
  skipped: number;
  /** Rollouts that went masked because their policy was too old. */
  masked: number;
  /** More numbers of its own, by name. */
  counts: Record<string, number>;
  /** What it has to say, in one line. */
  note: string | null;
  /** The newest policy of the run, whoever told of it. */
  policyVersion: string | null;
  /** The largest lag in the group that it shipped last. */
  lag: number | null;
  /** When it wrote this, epoch ms. */
  at: number | null;
}

/** A few reads, whatever the length of the run. */
export async function readSinkStatus(
  store: ArtifactStore,
  { runId }: RunRecord,
  name: SinkName,
): Promise<SinkStatus> {
  const [progress, policy] = await Promise.all([
    readRecord(store, progressSchema, keys.sinkProgress(runId, name)),
    new AppendLog(store, policySchema, keys.policies(runId)).last(),
  ]);
  const { now, read, closed, counts, note, lag, at } = progress ?? NOTHING;
  const { delivered, parked, skipped, masked } = now;
  // What was fed since it wrote this counts, too.
  const fed = await new AppendLog(store, feedEntrySchema, keys.feed(runId), read).length();
  const waiting = closed + fed - read - delivered - parked - skipped;
  return {
    ...{ name, delivered, parked, skipped, masked, counts, note, lag, at },
    queued: progress === null ? null : (progress.queued ?? waiting),
    policyVersion: policy?.version ?? null,
  };
}

const NOTHING: Pick<Progress, 'read' | 'closed' | 'now' | 'counts' | 'note' | 'lag'> & { at: null } = {
  read: 0,
  closed: 0,
  now: { delivered: 0, parked: 0, skipped: 0, masked: 0 },
  counts: {},
  note: null,
  lag: null,
  at: null,
};
