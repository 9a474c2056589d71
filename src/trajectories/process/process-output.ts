import { episodesOfGroup } from '../../records/episodes-of-group.js';
import { GroupFeed } from '../../store/groups.js';
import type { Plan, RunRecord } from '../../store/records/records.schema.js';
import type { ArtifactStore } from '../../store/store.js';
import { GroupWriter, type OutputOptions } from './group-writer.js';

export {
  ledgerOptions,
  MANIFEST_FILE,
  type OutputOptions,
  STATISTICS_FILE,
} from './group-writer.js';

/** How much is there. */
export interface OutputCounts {
  groups: number;
  planned: number;
}

/** Writes the closed groups of a run into a folder as they are found; what is in its ledger is not written again. */
export class ProcessOutput {
  private work: Promise<void> = Promise.resolve();
  private pulling = false;
  /** The first thing that went wrong; nothing is written after it. */
  failure: unknown = null;

  private constructor(
    private readonly run: RunRecord,
    private readonly plan: Plan,
    private readonly writer: GroupWriter,
    private readonly feed: GroupFeed,
  ) {}

  /** Errors: those of `GroupWriter.open`. */
  static async open(
    store: ArtifactStore,
    run: RunRecord,
    plan: Plan,
    options: OutputOptions,
  ): Promise<ProcessOutput> {
    const writer = await GroupWriter.open(store, run, plan, options, (record) =>
      episodesOfGroup(store, run, record),
    );
    return new ProcessOutput(run, plan, writer, new GroupFeed(store, run, plan, writer.written));
  }

  get folder(): string {
    return this.writer.folder;
  }

  get counts(): OutputCounts {
    const { groupSize } = this.run.config;
    const samples = this.plan.tasks.reduce((sum, task) => sum + task.samples, 0);
    return { groups: this.writer.written.length, planned: samples / (groupSize ?? 1) };
  }

  /** Lines for the person: the rows of each file, and what became none. After `settle`. */
  summary(): Promise<string[]> {
    return this.writer.summary();
  }

  /** Writes what has closed since the last time, in the background. */
  pull(): void {
    if (this.pulling) return;
    this.pulling = true;
    this.enqueue(async () => {
      this.pulling = false;
      await this.writeNew(false);
    });
  }

  /** Writes all that has closed; `ended`: nothing more will close, so that a batch that is not full is one too. */
  async settle(ended: boolean): Promise<void> {
    this.enqueue(async () => {
      await this.writeNew(ended);
      await this.writer.conclude(this.plan);
    });
    await this.work;
  }

  private enqueue(work: () => Promise<void>): void {
    this.work = this.work.then(async () => {
      if (this.failure !== null) return;
      try {
        await work();
      } catch (error) {
        this.failure = error;
      }
    });
  }

  private async writeNew(ended: boolean): Promise<void> {
    for (const record of await this.feed.poll()) await this.writer.add(record);
    if (ended) await this.writer.end();
  }
}
