import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TOOL_NAMES } from '../../agent/tools/registry.js';
import type { Episode } from '../../core/trajectory/episode.schema.js';
import type { ExportFormat } from '../../formats/export-format.js';
import { keys } from '../../store/keys.js';
import { type GroupRecord, groupRecordSchema } from '../../store/records/group.schema.js';
import { readRecord } from '../../store/records/records.js';
import type { Plan, RunRecord } from '../../store/records/records.schema.js';
import { readTask } from '../../store/runs.js';
import type { ArtifactStore } from '../../store/store.js';
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

/** Where the rollouts of a closed group come from, at the moment at which their rows are written. */
export type EpisodesOf = (record: GroupRecord) => Promise<Episode[]>;

/**
 * Writes closed groups into a folder, in the order in which it is given them. What a killed process left half is
 * taken back at the opening; `written` are the groups that are there.
 */
export class GroupWriter {
  /** Valid groups that wait for their batch to be full. */
  private waiting: GroupRecord[] = [];

  private constructor(
    private readonly store: ArtifactStore,
    private readonly run: RunRecord,
    private readonly options: OutputOptions,
    private readonly output: GrowingOutput,
    private readonly rows: GroupRows,
    private readonly episodesOf: EpisodesOf,
  ) {}

  /** Errors: those of `GrowingOutput.open` and of the store. */
  static async open(
    store: ArtifactStore,
    run: RunRecord,
    plan: Plan,
    options: OutputOptions,
    episodesOf: EpisodesOf,
  ): Promise<GroupWriter> {
    const { folder, force, formats, batchSize } = options;
    const prompts = batchSize === null ? null : await promptsOf(store, run, plan);
    const header = { run_id: run.runId, options: ledgerOptions(options) };
    const files = [
      ...filesOf(formats),
      ...(prompts === null ? [] : promptFiles(prompts.length, batchSize ?? 1)),
      MANIFEST_FILE,
      STATISTICS_FILE,
    ];
    const output = await GrowingOutput.open({ folder, header, files, force });
    const rows = new GroupRows(
      prompts === null
        ? options
        : { ...options, formats: formats.map((format) => ofPrompts(format, prompts, batchSize ?? 1)) },
    );
    const opened = new GroupWriter(store, run, options, output, rows, episodesOf);
    await opened.putManifest(plan);
    return opened;
  }

  get folder(): string {
    return this.output.folder;
  }

  /** Ids, in the order in which they were written. */
  get written(): readonly string[] {
    return this.output.groups;
  }

  /** Answers the groups that are on disk by it: one that needs a batch waits until that is full. */
  async add(record: GroupRecord): Promise<GroupRecord[]> {
    if (!record.valid || !needsBatch(this.run)) return await this.write([record]);
    this.waiting.push(record);
    return this.waiting.length >= this.options.batchGroups ? await this.writeBatch() : [];
  }

  /** Nothing more will close, so that a batch that is not full is one too. */
  async end(): Promise<GroupRecord[]> {
    return this.waiting.length > 0 ? await this.writeBatch() : [];
  }

  /** Writes what tells of all groups. */
  async conclude(plan: Plan): Promise<void> {
    await this.putManifest(plan);
    const statistics = await statisticsOf(this.store, this.run, plan, this.records(), this.folder);
    await this.output.place(STATISTICS_FILE, pretty(statistics));
  }

  /** Whether the statistics are of all groups that are written. */
  async concluded(): Promise<boolean> {
    const text = await readFile(join(this.folder, STATISTICS_FILE), 'utf8').catch(() => null);
    return text !== null && writtenIn(text) === this.written.length;
  }

  /** Lines for the person: the rows of each file, and what became none. */
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

  private async writeBatch(): Promise<GroupRecord[]> {
    const written = await this.write(this.waiting);
    this.waiting = [];
    return written;
  }

  private async write(records: GroupRecord[]): Promise<GroupRecord[]> {
    const closed = await closeBatch(this.store, this.run, records, this.episodesOf);
    await this.output.append({ groups: records.map(({ groupId }) => groupId), ...this.rows.of(closed) });
    return records;
  }

  private async putManifest(plan: Plan): Promise<void> {
    const { store, run, options } = this;
    const manifest = await manifestOf(store, run, plan, {
      revision: options.revision,
      options: ledgerOptions(options),
    });
    await this.output.place(MANIFEST_FILE, pretty(manifest));
  }

  /** Of what is in the folder, so that a run that was interrupted has the same statistics as one that was not. */
  private async *records(): AsyncGenerator<GroupRecord> {
    for (const id of this.output.groups) {
      const [runId = '', taskId = '', index] = id.split('/');
      const record = await readRecord(
        this.store,
        groupRecordSchema,
        keys.group(runId, taskId, Number(index)),
      );
      if (record !== null) yield record;
    }
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
  return format.name === 'sharegpt' ? promptFormat(prompts, batchSize, TOOL_NAMES) : format;
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

/** How many groups statistics are of; null where they say nothing, and are made again. */
function writtenIn(text: string): unknown {
  try {
    const found: { groups?: { written?: unknown } } | null = JSON.parse(text);
    return found?.groups?.written ?? null;
  } catch {
    return null;
  }
}
