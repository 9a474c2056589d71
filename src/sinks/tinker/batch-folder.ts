import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LongrunError } from '../../core/errors.js';
import { largest } from '../../core/lists/extremes.js';
import { MINUTE_MS } from '../../core/time.js';
import { pythonJson } from '../../formats/python-json.js';
import { errnoOf, toStoreError } from '../../store/filesystem/store-error.js';
import { syncFolder } from '../../store/filesystem/write-file.js';
import type { RunRecord } from '../../store/records/records.schema.js';
import type { AssembledGroup } from './assemble.js';
import { metaLine } from './group-datums.js';
import type { Skipped } from './ledger.schema.js';
import { LineFile } from './line-file.js';

export const MANIFEST_FILE = 'manifest.json';
export const INDEX_FILE = 'index.jsonl';
export const SKIPPED_FILE = 'skipped.jsonl';

const DIGITS = 6;
const BATCH = /^batch_\d+\.(meta\.)?jsonl$/;
const UNFINISHED = /^\.(batch_\d+|manifest)\..*\.partial$/;
const UNFINISHED_FOR_MS = 10 * MINUTE_MS;

/** `batch_000001` */
export const batchName = (number: number): string => `batch_${String(number).padStart(DIGITS, '0')}`;

/**
 * The folder that a trainer reads. Files appear in it whole, a batch after its `.meta.jsonl`, and in `index.jsonl`
 * after both; `manifest.json` says whose they are, and whether more will come.
 */
export class BatchFolder {
  private constructor(
    readonly path: string,
    private readonly run: RunRecord,
    private readonly index: LineFile,
    private readonly skipped: LineFile,
  ) {}

  /** Errors: `already_exists` for the folder of another run, those of the file system. */
  static async open(path: string, run: RunRecord): Promise<BatchFolder> {
    return await guarded(path, async () => {
      await mkdir(path, { recursive: true });
      await checkFolder(path, run.runId);
      await removeUnfinished(path);
      const [index, skipped] = [INDEX_FILE, SKIPPED_FILE].map((name) => LineFile.open(join(path, name)));
      return new BatchFolder(path, run, (await index) as LineFile, (await skipped) as LineFile);
    });
  }

  /** How many batches, and lines of skipped groups, it has. */
  get batches(): number {
    return this.index.length;
  }

  get skippedLines(): number {
    return this.skipped.length;
  }

  /** The next batch. */
  async place(number: number, groups: readonly AssembledGroup[]): Promise<void> {
    const name = batchName(number);
    await guarded(this.path, async () => {
      await this.write(`${name}.meta.jsonl`, metaLines(number, groups));
      const { sha256, bytes } = await this.write(`${name}.jsonl`, datumLines(groups));
      await this.index.put(pythonJson({ ...indexLine(number, groups), bytes, sha256 }));
    });
  }

  async skip({ taskId, index, rule, reason }: Skipped): Promise<void> {
    const group_id = `${this.run.runId}/${taskId}/${index}`;
    await guarded(this.path, () => this.skipped.put(JSON.stringify({ group_id, rule, reason })));
  }

  /** `complete`: no more batches will come. */
  async describe(complete: boolean): Promise<void> {
    const { runId, environment, config } = this.run;
    const manifest = {
      schema_version: 1,
      run_id: runId,
      environment: environment.name,
      model: config.model,
      estimator: config.estimator,
      group_size: config.groupSize,
      batch_groups: config.serve?.batchGroups ?? null,
      batches: this.batches,
      skipped_groups: this.skippedLines,
      complete,
    };
    await guarded(this.path, () => this.write(MANIFEST_FILE, [JSON.stringify(manifest, null, 2)]));
  }

  private async write(name: string, lines: Iterable<string>): Promise<{ sha256: string; bytes: number }> {
    const temp = join(this.path, `.${name}.${randomUUID()}.partial`);
    const hash = createHash('sha256');
    let bytes = 0;
    const file = await open(temp, 'wx');
    try {
      for (const line of lines) {
        const piece = Buffer.from(`${line}\n`);
        hash.update(piece);
        bytes += piece.length;
        await file.appendFile(piece);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temp, join(this.path, name));
    await syncFolder(this.path);
    return { sha256: hash.digest('hex'), bytes };
  }
}

/** What dead executors left; one that is still there for a moment finishes what it writes. */
async function removeUnfinished(path: string): Promise<void> {
  for (const name of await readdir(path)) {
    if (!UNFINISHED.test(name)) continue;
    const found = await stat(join(path, name)).catch(() => null);
    if (found !== null && found.mtimeMs < Date.now() - UNFINISHED_FOR_MS)
      await rm(join(path, name), { force: true });
  }
}

/**
 * Whether a run may write there: nothing of another run, and no batches that nobody knows; `runId` is null for a run
 * that has no name yet. Errors: `already_exists`.
 */
export async function checkFolder(path: string, runId: string | null): Promise<void> {
  const names = await readdir(path).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return [] as string[];
    throw toStoreError(error, path, path);
  });
  const owner = names.includes(MANIFEST_FILE) ? await ownerOf(join(path, MANIFEST_FILE)) : null;
  if (owner !== null && owner === runId) return;
  if (owner === null && !names.some((name) => BATCH.test(name))) return;
  throw new LongrunError(
    'already_exists',
    owner === null
      ? `${path} holds batches, and no ${MANIFEST_FILE} that says whose they are`
      : `${path} holds the batches of run ${owner}, and this is ${runId === null ? 'a new run' : `run ${runId}`}`,
    { hint: 'Choose another folder for --tinker.', exitCode: 2 },
  );
}

async function ownerOf(manifest: string): Promise<string | null> {
  try {
    const { run_id } = JSON.parse(await readFile(manifest, 'utf8'));
    return typeof run_id === 'string' ? run_id : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function* datumLines(groups: readonly AssembledGroup[]): Generator<string> {
  for (const { found } of groups) for (const { datum } of found.datums) yield pythonJson(datum);
}

function* metaLines(number: number, groups: readonly AssembledGroup[]): Generator<string> {
  for (const { group, record, found } of groups)
    for (const datum of found.datums) yield pythonJson(metaLine(number, group, record, datum));
}

function indexLine(batch: number, groups: readonly AssembledGroup[]) {
  const datums = groups.flatMap(({ found }) => found.datums);
  const spans = datums.flatMap(({ sequence }) => sequence.spans);
  const lags = groups.flatMap(({ group }) => group.members.flatMap(({ lag }) => lag ?? []));
  return {
    batch,
    file: `${batchName(batch)}.jsonl`,
    groups: groups.map(({ record }) => record.groupId),
    datums: datums.length,
    tokens: sum(datums.map(({ sequence }) => sequence.ids.length)),
    trained_tokens: sum(spans.filter(({ masked }) => !masked).map(({ length }) => length)),
    policy_versions: [...new Set(spans.map(({ policyVersion }) => policyVersion))],
    max_lag: lags.length === 0 ? null : largest(lags),
    left_out: groups.flatMap(({ found }) => found.leftOut),
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

async function guarded<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (LongrunError.is(cause) || errnoOf(cause) === undefined) throw cause;
    throw toStoreError(cause, path, path);
  }
}
