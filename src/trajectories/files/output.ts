import { mkdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { badInput, LongrunError } from '../../core/errors.js';
import { errnoOf, toStoreError } from '../../store/filesystem/store-error.js';
import { syncFolder } from '../../store/filesystem/write-file.js';
import { LineFile } from './line-file.js';
import { ParquetFile } from './parquet-file.js';
import { type Rejection, rejectionLine } from './rejection.js';

export interface OutputOptions {
  /** Replaces what an earlier call wrote there. */
  force: boolean;
  /** Name of the file in a path that is a folder. Default `trajectories.jsonl`. */
  name?: string;
  /** Files that may come beside it, as `ExportRow.file` names them: refused before any work when they exist. */
  siblings?: readonly string[];
  /** The path is a folder whatever it looks like: every row goes beside. */
  folder?: boolean;
  /** The named output may end in `.parquet`: whoever writes it does so by rows. */
  parquet?: boolean;
}

/** Where lines go, or rows: a Parquet file takes rows only. */
export interface OutputPlace {
  row(value: unknown): Promise<void>;
  write(line: string): Promise<void>;
  append(text: string): Promise<void>;
}

type OutputFile = LineFile | ParquetFile;

const REJECTED = '.rejected.jsonl';
const PARQUET = '.parquet';
const ENDINGS = /\.(jsonl|json|parquet)(\.gz)?$/;
/** More descriptors than this are given back; a rollout writes to one file at a time. */
const OPEN_FILES = 16;

/**
 * What one command writes: a file of lines and what stands beside it. Nothing appears before `commit`, and
 * then whole. Errors: `already_exists` without `force`, `store_full`, `store_unavailable`.
 */
export class RowOutput {
  private readonly files = new Map<string, OutputFile>();
  private readonly open = new Set<OutputFile>();

  constructor(
    /** Of the named output. */
    readonly path: string,
    private readonly options: OutputOptions,
  ) {}

  /** Adds a line to the named output. */
  async write(line: string): Promise<void> {
    await this.beside(null).write(line);
  }

  /** A file of the same output, named as in `ExportRow.file`; null = the named output. */
  beside(file: string | null): OutputPlace {
    return {
      row: (value) => this.guard(file, (rows) => rows.row(value)),
      write: (line) => this.guard(file, (lines) => asLines(lines).write(line)),
      append: (text) => this.guard(file, (lines) => asLines(lines).append(text)),
    };
  }

  /** Notes a line that could not be read, or a row that was dropped, in `<output>.rejected.jsonl`. */
  async reject(rejection: Rejection): Promise<void> {
    await this.beside(REJECTED).write(rejectionLine(rejection));
  }

  /** Where `ExportRow.file` stands. */
  pathOf(file: string | null): string {
    if (file === null) return this.path;
    const named = this.path.endsWith(PARQUET) ? file.replace(/\.jsonl$/, PARQUET) : file;
    if (!file.startsWith('.')) return join(dirname(this.path), named);
    return `${this.path.replace(ENDINGS, '')}${file}`;
  }

  /** Lines written to a file so far. */
  linesOf(file: string | null): number {
    return this.files.get(this.pathOf(file))?.lines ?? 0;
  }

  /**
   * Everything appears, the named output last; answers the paths. An output without any row is an empty file.
   * With `force`, files that an earlier call left and this one did not write are removed.
   */
  async commit(): Promise<string[]> {
    const { folder, force, siblings = [] } = this.options;
    if (this.writtenRows().length === 0 && !folder) this.fileAt(this.path);
    const isNamed = ({ path }: OutputFile): number => Number(path === this.path);
    const files = [...this.files.values()].sort((a, b) => isNamed(a) - isNamed(b));
    try {
      for (const file of files) await file.sync();
      if (!force) for (const { path } of files) await refuseExisting(path);
      for (const file of files) await file.place();
      if (force)
        for (const path of [null, ...siblings, REJECTED].map((file) => this.pathOf(file)))
          if (!this.files.has(path)) await rm(path, { force: true });
      for (const place of new Set(files.map(({ path }) => dirname(path)))) await syncFolder(place);
    } catch (cause) {
      await this.abandon();
      throw writeError(cause, this.path);
    }
    return files.map(({ path }) => path);
  }

  /** Nothing appears. After `commit` it does nothing. */
  async abandon(): Promise<void> {
    for (const file of this.files.values()) await file.abandon();
  }

  private writtenRows(): OutputFile[] {
    const rejected = this.pathOf(REJECTED);
    return [...this.files.values()].filter(({ path }) => path !== rejected);
  }

  private async guard(file: string | null, work: (lines: OutputFile) => Promise<void>): Promise<void> {
    const lines = this.fileAt(this.pathOf(file));
    try {
      await work(lines);
      this.open.delete(lines);
      this.open.add(lines);
      for (const oldest of this.open) {
        if (this.open.size <= OPEN_FILES) break;
        this.open.delete(oldest);
        await oldest.release();
      }
    } catch (cause) {
      throw writeError(cause, lines.path);
    }
  }

  private fileAt(path: string): OutputFile {
    const known = this.files.get(path);
    if (known) return known;
    const file = path.endsWith(PARQUET) ? new ParquetFile(path) : new LineFile(path);
    this.files.set(path, file);
    return file;
  }
}

/**
 * Opens an output before any work is done. A path that ends in a slash, is a folder, or has no ending is a
 * folder, made when missing. Errors: `already_exists` naming what is there, `bad_input` for a place where nothing
 * can be written.
 */
export async function openOutput(path: string, options: OutputOptions): Promise<RowOutput> {
  if (path === '' || path === '-')
    throw badInput(`--output: found "${path}", accepted: a file or a folder.`, 'Rows are written to files.');
  if (path.endsWith(`${PARQUET}.gz`) || (path.endsWith(PARQUET) && !options.parquet))
    throw badInput(
      `--output: found "${path}", accepted: a file that ends in .jsonl or .jsonl.gz.`,
      '`longrun traj export` writes Parquet; its columns are compressed as they are.',
    );
  const inFolder = options.folder || path.endsWith('/') || extname(path) === '' || (await isFolder(path));
  const output = new RowOutput(inFolder ? join(path, options.name ?? 'trajectories.jsonl') : path, options);
  try {
    await mkdir(dirname(output.path), { recursive: true });
  } catch (cause) {
    throw badInput(`--output: nothing can be written to ${path}: ${(cause as Error).message}.`);
  }
  if (options.force) return output;
  const wanted = options.folder ? [] : [null, REJECTED];
  for (const file of [...wanted, ...(options.siblings ?? [])]) await refuseExisting(output.pathOf(file));
  return output;
}

function asLines(file: OutputFile): LineFile {
  if (file instanceof LineFile) return file;
  throw new LongrunError('internal', `${file.path} takes rows, not lines`);
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}

async function refuseExisting(path: string): Promise<void> {
  if (!(await stat(path).catch(() => null))) return;
  throw new LongrunError('already_exists', `${path} exists already`, {
    hint: '--force replaces it; or choose another --output.',
    exitCode: 2,
    details: { path },
  });
}

function writeError(cause: unknown, path: string): unknown {
  if (LongrunError.is(cause) || errnoOf(cause) === undefined) return cause;
  return toStoreError(cause, basename(path), dirname(path));
}
