import { LongrunError } from '../../core/errors.js';
import { type GroupKey, groupId } from '../../core/ids.js';
import { readGroup } from '../../store/groups.js';
import type { FedGroup, SinkContext } from '../sink.js';
import { type AssembledGroup, assemble } from './assemble.js';
import { BatchFolder } from './batch-folder.js';
import { groupDatums } from './group-datums.js';
import { datumProblem, type GroupProblem, recordProblem } from './judge.js';
import { TinkerLedger } from './ledger.js';
import type { Batch, BatchGroup } from './ledger.schema.js';

export interface DeliveryOptions {
  folder: string;
  batchGroups: number;
  keepZeroVariance: boolean;
  maxTokenLength: number | null;
}

/**
 * Closed groups into batches. What a batch holds is decided once, in the ledger, and then written: whoever takes
 * over writes what is decided and not there yet, and goes on with the groups that nothing was decided about.
 */
export class Delivery {
  private readonly waiting: GroupKey[] = [];

  private constructor(
    private readonly context: SinkContext,
    private readonly options: DeliveryOptions,
    readonly ledger: TinkerLedger,
    private readonly folder: BatchFolder,
  ) {}

  static async open(context: SinkContext, options: DeliveryOptions): Promise<Delivery> {
    const { store, run } = context;
    const ledger = await TinkerLedger.open(store, run.runId);
    await context.checkFence();
    const delivery = new Delivery(context, options, ledger, await BatchFolder.open(options.folder, run));
    await delivery.catchUp();
    return delivery;
  }

  /** Until the run has ended, and all its groups are in batches or skipped. */
  async work(signal: AbortSignal): Promise<void> {
    for (;;) {
      const key = await this.context.feed.next(signal);
      if (key === null) return await this.end();
      await this.add(key);
    }
  }

  /** Of a run that is over: what has closed and is not taken yet, and then the end. */
  async finish(): Promise<void> {
    for (;;) {
      const key = await this.context.feed.poll();
      if (key === null) return await this.end();
      await this.add(key);
    }
  }

  private async add(key: GroupKey): Promise<void> {
    await this.take(key);
    while (this.waiting.length >= this.options.batchGroups) await this.decide();
  }

  /** Nothing more comes: those that wait are a batch, too. */
  private async end(): Promise<void> {
    while (this.waiting.length > 0) await this.decide();
    await this.context.checkFence();
    await this.folder.describe(true);
  }

  private async take(key: GroupKey): Promise<void> {
    const known = this.ledger.outcomeOf(key);
    if (known !== null) return this.context.feed.settled(key, known);
    const record = await readGroup(this.context.store, key);
    if (record === null)
      throw new LongrunError('not_found', `the record of group ${groupId(key)} is gone`, {
        hint: 'Something other than longrun removed it.',
      });
    const problem =
      recordProblem(record, this.options.keepZeroVariance) ??
      this.problemOf(await this.context.feed.read(key));
    if (problem === null) this.waiting.push(key);
    else await this.skip(key, problem);
  }

  private problemOf({ record, episodes }: FedGroup): GroupProblem | null {
    const { maxTokenLength, keepZeroVariance } = this.options;
    return datumProblem(groupDatums(record, episodes, maxTokenLength), keepZeroVariance);
  }

  /** The next batch, of the groups that have waited longest; or fewer wait, because one of them cannot be in it. */
  private async decide(): Promise<void> {
    const chosen = this.waiting.slice(0, this.options.batchGroups);
    const fed: FedGroup[] = [];
    for (const key of chosen) fed.push(await this.context.feed.read(key));
    const groups = fed.map(judged);
    const assembled = await assemble(this.context.store, this.context.run, groups, fed);
    const bad = assembled.filter(({ problem }) => problem !== null);
    for (const { record, problem } of bad)
      if (problem !== null) await this.skip({ ...record, runId: this.context.run.runId }, problem);
    if (bad.length > 0) return;
    await this.context.checkFence();
    const number = this.ledger.batches.length + 1;
    const won = await this.ledger.decide({
      batch: { number, groups },
      skipped: null,
      at: this.context.now(),
    });
    this.dropDecided();
    await this.catchUp(won ? assembled : null);
    if (won) for (const { key, masked } of fed) this.context.feed.settled(key, 'delivered', masked);
  }

  private async skip(key: GroupKey, { rule, reason }: GroupProblem): Promise<void> {
    const { taskId, index } = key;
    await this.context.checkFence();
    const skipped = { taskId, index, rule, reason };
    const won = await this.ledger.decide({ batch: null, skipped, at: this.context.now() });
    this.dropDecided();
    await this.catchUp();
    if (won) this.context.feed.settled(key, 'skipped');
  }

  private dropDecided(): void {
    const open = this.waiting.filter((key) => this.ledger.outcomeOf(key) === null);
    this.waiting.splice(0, this.waiting.length, ...open);
  }

  /** Writes what is decided and not there; `fresh`: the last batch, where it was just assembled. */
  private async catchUp(fresh: readonly AssembledGroup[] | null = null): Promise<void> {
    const { ledger, folder, context } = this;
    for (const skipped of ledger.skipped.slice(folder.skippedLines)) await folder.skip(skipped);
    for (const batch of ledger.batches.slice(folder.batches)) {
      const last = batch === ledger.batches.at(-1);
      const groups = last && fresh !== null ? fresh : await this.assembled(batch);
      await context.checkFence();
      await folder.place(batch.number, groups);
    }
    await context.checkFence();
    await folder.describe(false);
  }

  private async assembled({ groups }: Batch): Promise<AssembledGroup[]> {
    return await assemble(this.context.store, this.context.run, groups, null);
  }
}

/** What depends on the moment: the lag of each rollout, and which turns are too old to train. */
function judged({ key, episodes, lags }: FedGroup): BatchGroup {
  return {
    taskId: key.taskId,
    index: key.index,
    members: episodes.map(({ rollout, turns }, i) => ({
      sample: rollout?.sample ?? -1,
      lag: lags[i] ?? null,
      maskedTurns: turns.flatMap(({ masked }, turn) => (masked === true ? [turn] : [])),
    })),
  };
}
