import { LongrunError } from '../../core/errors.js';
import { type GroupKey, groupId } from '../../core/ids.js';
import { readGroup } from '../../store/groups.js';
import type { GroupRecord } from '../../store/records/group.schema.js';
import type { RunRecord } from '../../store/records/records.schema.js';
import { readPlan } from '../../store/runs.js';
import { GroupWriter } from '../../trajectories/process/group-writer.js';
import type { SinkContext } from '../sink.js';
import { jsonlOptions } from './jsonl-options.js';

/** The folder of a run's rows, filled from its feed. Its own ledger is the sink's: a group that is in it is written. */
export class RowFolder {
  private readonly known: ReadonlySet<string>;

  private constructor(
    private readonly context: SinkContext,
    private readonly run: RunRecord,
    private readonly writer: GroupWriter,
    /** Of the groups that are being written, how many rollouts are masked. */
    private readonly masked: Map<string, number>,
  ) {
    this.known = new Set(writer.written);
  }

  /** Errors: `already_exists` for a folder of another run or with other options. */
  static async open(context: SinkContext, run: RunRecord): Promise<RowFolder> {
    const { store, feed } = context;
    const { serve } = run.config;
    if (serve === null) throw new LongrunError('internal', `run ${run.runId} serves nobody`);
    const options = jsonlOptions(serve, { longrunVersion: run.longrunVersion, gitCommit: null });
    const masked = new Map<string, number>();
    await context.checkFence();
    const plan = await readPlan(store, run.runId);
    // Read when it is written, because that is when a rollout is too old or not.
    const writer = await GroupWriter.open(store, run, plan, options, async (record) => {
      const group = await feed.read(keyOf(run, record));
      masked.set(record.groupId, group.masked);
      return group.episodes;
    });
    context.report({ note: `rows in ${options.folder}` });
    return new RowFolder(context, run, writer, masked);
  }

  async add(key: GroupKey): Promise<void> {
    const { feed, store } = this.context;
    if (this.known.has(groupId(key))) return feed.settled(key, 'delivered');
    const record = await readGroup(store, key);
    if (record === null) throw new LongrunError('not_found', `the record of group ${groupId(key)} is gone`);
    await this.context.checkFence();
    this.settle(await this.writer.add(record));
  }

  /** Nothing more comes: a batch that is not full is one, too, and manifest and statistics tell of all groups. */
  async end(): Promise<void> {
    await this.context.checkFence();
    this.settle(await this.writer.end());
    if (await this.writer.concluded()) return;
    await this.context.checkFence();
    await this.writer.conclude(await readPlan(this.context.store, this.run.runId));
  }

  private settle(records: readonly GroupRecord[]): void {
    for (const record of records) {
      const masked = this.masked.get(record.groupId) ?? 0;
      this.masked.delete(record.groupId);
      this.context.feed.settled(keyOf(this.run, record), 'delivered', masked);
    }
  }
}

const keyOf = ({ runId }: RunRecord, { taskId, index }: GroupRecord): GroupKey => ({ runId, taskId, index });
