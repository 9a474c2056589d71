import { setTimeout as sleep } from 'node:timers/promises';
import { LongrunError } from '../../core/errors.js';
import { sequenceNumbers } from '../../core/group/group-plan.js';
import { type GroupKey, groupId } from '../../core/ids.js';
import { SECOND_MS } from '../../core/time.js';
import type { Episode } from '../../core/trajectory/episode.schema.js';
import { episodesOfGroup } from '../../records/episodes-of-group.js';
import { AppendLog } from '../../store/append-log.js';
import { readGroup } from '../../store/groups.js';
import { keys } from '../../store/keys.js';
import type { PolicyLog } from '../../store/policy-log.js';
import { readRecord } from '../../store/records/records.js';
import type { RunRecord } from '../../store/records/records.schema.js';
import { feedEntrySchema, servedSchema } from '../../store/records/serve.schema.js';
import type { ArtifactStore } from '../../store/store.js';
import type { FedGroup, Feed, Outcome } from '../sink.js';
import { FeedPosition } from './feed-position.js';
import { firstVersion, maskStale, versionsInOrder } from './lag.js';
import type { FeedCursor } from './progress.schema.js';

const FIRST_POLL_MS = 100;
const LONGEST_POLL_MS = SECOND_MS;

/** Told of what passes through a feed. */
export interface FeedWatch {
  read(group: FedGroup): void;
  settled(outcome: Outcome): void;
}

export interface FeedParts {
  store: ArtifactStore;
  run: RunRecord;
  /** In the order of the plan: what numbers groups. */
  taskIds: readonly string[];
  policies: PolicyLog;
  /** Where an earlier executor of the sink stood. */
  cursor: FeedCursor;
  watch: FeedWatch;
  /** Waits troubles of the store out. */
  patient: <T>(work: () => Promise<T>) => Promise<T>;
}

/** The feed of a run as one sink reads it, over the log of closed groups in the store. */
export class StoreFeed implements Feed {
  readonly position: FeedPosition;
  private readonly log: AppendLog<typeof feedEntrySchema>;
  /** Read from the log and not handed out. */
  private readonly waiting: GroupKey[] = [];
  private readonly numberOf: (group: Pick<GroupKey, 'taskId' | 'index'>) => number;
  private reading: Promise<void> | null = null;

  constructor(private readonly parts: FeedParts) {
    this.position = new FeedPosition(parts.cursor);
    this.numberOf = sequenceNumbers(parts.taskIds);
    this.log = new AppendLog(parts.store, feedEntrySchema, keys.feed(parts.run.runId));
  }

  async closed(): Promise<number> {
    await this.readOn();
    return this.position.groups;
  }

  async poll(): Promise<GroupKey | null> {
    if (this.waiting.length === 0) await this.readOn();
    return this.waiting.shift() ?? null;
  }

  async ended(): Promise<boolean> {
    if (!(await this.runHasServed())) return false;
    // Whatever closed before the run ended is in the log by now; a reading that is under way may have missed it.
    await this.reading;
    await this.readOn();
    return this.waiting.length === 0;
  }

  async next(signal: AbortSignal): Promise<GroupKey | null> {
    for (let waitMs = FIRST_POLL_MS; ; waitMs = Math.min(LONGEST_POLL_MS, 2 * waitMs)) {
      signal.throwIfAborted();
      const key = await this.poll();
      if (key !== null) return key;
      if (await this.ended()) return null;
      if (this.waiting.length === 0) await sleep(waitMs, undefined, { signal });
    }
  }

  async read(key: GroupKey): Promise<FedGroup> {
    const { store, run, patient, watch } = this.parts;
    const record = await patient(() => readGroup(store, key));
    if (record === null)
      throw new LongrunError('not_found', `the record of group ${groupId(key)} is gone`, {
        hint: 'Something other than longrun removed it.',
      });
    const episodes = await patient(() => episodesOfGroup(store, run, record));
    const lags = await patient(() => this.lagsOf(episodes));
    const group = { key, record, lags, ...maskStale(episodes, lags, run.config.serve?.maxLag ?? null) };
    watch.read(group);
    return group;
  }

  settled({ taskId, index }: GroupKey, outcome: Outcome, masked = 0): void {
    const number = this.numberOf({ taskId, index });
    if (this.position.settle(number, outcome, masked)) this.parts.watch.settled(outcome);
  }

  private async lagsOf(episodes: readonly Episode[]): Promise<(number | null)[]> {
    const { run, policies } = this.parts;
    // What a worker saw and could not tell of before it died.
    if (run.config.serve?.policyVersions === 'endpoint')
      for (const version of versionsInOrder(episodes)) await policies.tell({ version, source: 'endpoint' });
    return await policies.lagsOf(episodes.map(firstVersion));
  }

  private async runHasServed(): Promise<boolean> {
    const { store, run, patient } = this.parts;
    return (await patient(() => readRecord(store, servedSchema, keys.served(run.runId)))) !== null;
  }

  /** Reads the log to its end; whoever comes meanwhile waits for the same reading. */
  private readOn(): Promise<void> {
    this.reading ??= this.readLog().finally(() => {
      this.reading = null;
    });
    return this.reading;
  }

  private async readLog(): Promise<void> {
    const { run, patient } = this.parts;
    for (;;) {
      const entry = await patient(() => this.log.read(this.position.next));
      if (entry === null) return;
      const { taskId, index } = entry;
      if (this.position.read(this.numberOf(entry))) this.waiting.push({ runId: run.runId, taskId, index });
    }
  }
}
