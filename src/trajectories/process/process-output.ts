import type { ExportFormat } from '../../formats/export-format.js';
import type { GroupRecord } from '../../store/group.schema.js';
import { GroupFeed, readGroups } from '../../store/groups.js';
import type { Plan, RunRecord } from '../../store/records.schema.js';
import { readTask } from '../../store/runs.js';
import type { ArtifactStore } from '../../store/store.js';
import { AGENT_TOOLS } from '../../tasks/harbor-environment.js';
import { closeBatch, needsBatch } from './close-batch.js';
import { filesOf, GroupRows, REJECTED_FILE, type RowOptions } from './group-rows.js';
import { GrowingOutput } from './growing-output.js';
import { manifestOf, type Revision } from './manifest.js';
import { type PromptFacts, promptFiles, promptFormat } from './prompt-rows.js';
import { rejectedIn, rowsIn, statisticsOf } from './statistics.js';

export const MANIFEST_FILE = 'manifest.json';
export const STATISTICS_FILE = 'statistics.json';

export interface OutputOptions extends RowOptions {
  folder: string;
  force: boolean;
  /** Groups that estimators which need several are given at once. */
  batchGroups: number;
  /** Rows of a prompt list in a file; null where the run is of an environment. */
  batchSize: number | null;
  revision: Revision;
}

/** How much is there. */
export interface OutputCounts {
  groups: number;
  planned: number;
}

/**
 * Writes the closed groups of a run into a folder as they are found. What a killed process left half is taken back
 * at the opening; what is in the ledger is not written again.
 */
export class ProcessOutput {
  private work: Promise<void> = Promise.resolve();
  private pulling = false;
  /** Valid groups that wait for their batch to be full. */
  private waiting: GroupRecord[] = [];
  /** The first thing that went wrong; nothing is written after it. */
  failure: unknown = null;

  private constructor(
    private readonly store: ArtifactStore,
    private readonly run: RunRecord,
    private readonly plan: Plan,
    private readonly options: OutputOptions,
    private readonly output: GrowingOutput,
    private readonly feed: GroupFeed,
    private readonly rows: GroupRows,
  ) {}

  /** Errors: those of `GrowingOutput.open` and of the store. */
  static async open(
    store: ArtifactStore,
    run: RunRecord,
    plan: Plan,
    options: OutputOptions,
  ): Promise<ProcessOutput> {
    const { folder, force, formats, batchSize } = options;
    const prompts = batchSize === null ? null : await promptsOf(store, run, plan);
    const header = { schema_version: 1 as const, run_id: run.runId, options: ledgerOptions(options) };
    const files = [
      ...filesOf(formats),
      ...(prompts === null ? [] : promptFiles(prompts.length, batchSize ?? 1)),
      MANIFEST_FILE,
      STATISTICS_FILE,
    ];
    const output = await GrowingOutput.open({ folder, header, files, force });
    const feed = new GroupFeed(store, run, plan, output.groups);
    const rows = new GroupRows(
      prompts === null
        ? options
        : { ...options, formats: formats.map((format) => ofPrompts(format, prompts, batchSize ?? 1)) },
    );
    const opened = new ProcessOutput(store, run, plan, options, output, feed, rows);
    await opened.putManifest();
    return opened;
  }

  get folder(): string {
    return this.output.folder;
  }

  get counts(): OutputCounts {
    const { groupSize } = this.run.config;
    const samples = this.plan.tasks.reduce((sum, task) => sum + task.samples, 0);
    return { groups: this.output.groups.length, planned: samples / (groupSize ?? 1) };
  }

  /** Lines for the person: the rows of each file, and what became none. After `settle`. */
  async summary(): Promise<string[]> {
    const rows = Object.entries(await rowsIn(this.folder)).map(([file, count]) => `${file} ${count}`);
    const { counts } = await rejectedIn(this.folder);
    const rejected = Object.entries(counts).flatMap(([format, rules]) =>
      Object.entries(rules).map(([rule, count]) => `${format}: ${count} by ${rule}`),
    );
    return [
      `Rows: ${rows.join(', ')}`,
      ...(rejected.length === 0
        ? []
        : [`Rejected, with reasons in ${REJECTED_FILE}: ${rejected.join(', ')}`]),
    ];
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
      await this.putManifest();
      await this.output.place(STATISTICS_FILE, pretty(await this.statistics()));
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
    for (const record of await this.feed.poll()) {
      if (!record.valid || !needsBatch(this.run)) await this.write([record]);
      else this.waiting.push(record);
      if (this.waiting.length >= this.options.batchGroups) await this.writeBatch();
    }
    if (ended && this.waiting.length > 0) await this.writeBatch();
  }

  private async writeBatch(): Promise<void> {
    await this.write(this.waiting);
    this.waiting = [];
  }

  private async write(records: readonly GroupRecord[]): Promise<void> {
    const closed = await closeBatch(this.store, this.run, records);
    await this.output.append({ groups: records.map(({ groupId }) => groupId), ...this.rows.of(closed) });
  }

  private async putManifest(): Promise<void> {
    const { store, run, plan, options } = this;
    await this.output.place(
      MANIFEST_FILE,
      pretty(
        await manifestOf(store, run, plan, { revision: options.revision, options: ledgerOptions(options) }),
      ),
    );
  }

  /** Of what is in the folder, so that a run that was interrupted has the same as one that was not. */
  private async statistics(): Promise<unknown> {
    const closed = await readGroups(this.store, this.run, this.plan);
    const records = new Map(closed.map((record) => [record.groupId, record]));
    const written = this.output.groups.flatMap((id) => records.get(id) ?? []);
    return await statisticsOf(this.store, this.run, this.plan, written, this.folder);
  }
}

/** Of the tasks in the store: the list may have changed since, or be gone. */
async function promptsOf(store: ArtifactStore, { runId }: RunRecord, plan: Plan): Promise<PromptFacts[]> {
  const facts: PromptFacts[] = [];
  for (const { taskId } of plan.tasks) {
    const { metadata } = await readTask(store, runId, taskId);
    facts.push({ taskId, index: Number(metadata.source.name ?? 1) - 1, own: metadata.own ?? {} });
  }
  return facts;
}

function ofPrompts(format: ExportFormat, prompts: readonly PromptFacts[], batchSize: number): ExportFormat {
  return format.name === 'sharegpt' ? promptFormat(prompts, batchSize, AGENT_TOOLS) : format;
}

/** What the rows depend on besides the run, as the ledger and the manifest have it. */
export function ledgerOptions(
  options: Pick<OutputOptions, keyof RowOptions | 'batchGroups' | 'batchSize'>,
): Record<string, unknown> {
  return {
    formats: options.formats.map(({ name }) => name),
    filters: [...options.filters],
    keep_no_reasoning: options.keepNoReasoning,
    keep_zero_variance: options.keepZeroVariance,
    batch_groups: options.batchGroups,
    batch_size: options.batchSize,
  };
}

const pretty = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
