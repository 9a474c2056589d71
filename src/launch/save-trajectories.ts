import { open, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { rolloutId } from '../core/ids.js';
import { effectiveReward } from '../core/trajectory/effective-reward.js';
import type { Episode } from '../core/trajectory/episode.schema.js';
import type { ExportContext } from '../formats/export-format.js';
import { pythonJson } from '../formats/python-json.js';
import { FAILED_FILE, SAMPLES_FILE, shareGptFormat } from '../formats/sharegpt/sharegpt.js';
import { UNPARSED_KEY } from '../formats/sharegpt/unparsed-arguments.js';
import { readEpisode } from '../records/episodes-of-run.js';
import { APPENDING, openOwn } from '../store/filesystem/open-own.js';
import { errnoOf } from '../store/filesystem/store-error.js';
import type { RolloutResult } from '../store/records/records.schema.js';
import { readRun } from '../store/runs.js';
import type { ArtifactStore } from '../store/store.js';
import { readLines } from '../trajectories/files/read-lines.js';

const CONTEXT: ExportContext = {
  tools: [],
  rewardOf: ({ rewards }) => effectiveReward(rewards),
  options: {},
};
const NEWLINE = 0x0a;

export interface SaveOptions {
  runId: string;
  /** Where the files are, the person's own folder. */
  folder: string;
  /** One file for all; null = completed ones apart from the others. */
  file: string | null;
  openStore(): Promise<ArtifactStore>;
  onWarning(message: string): void;
}

/**
 * Appends each finished rollout of a run as a ShareGPT row to a file of the person's, in one write, and never
 * twice: rows name their rollout. What is not a conversation is left out.
 */
export class TrajectorySaver {
  private work: Promise<void> = Promise.resolve();
  private readonly files = new Map<string, Set<string>>();
  private store: ArtifactStore | null = null;
  /** The first thing that went wrong; nothing is saved after it. */
  failure: unknown = null;
  /** Rows written by this process, by file. */
  readonly written = new Map<string, number>();

  constructor(private readonly options: SaveOptions) {}

  /** Saves in the background, in order. */
  add(results: readonly RolloutResult[]): void {
    for (const result of results) this.enqueue(result);
  }

  /** Waits for all that was added; never rejects. */
  async settle(): Promise<void> {
    await this.work;
  }

  private enqueue(result: RolloutResult): void {
    this.work = this.work.then(async () => {
      if (this.failure !== null) return;
      try {
        await this.save(result);
      } catch (error) {
        this.failure = error;
      }
    });
  }

  private async save(result: RolloutResult): Promise<void> {
    const { runId, openStore, onWarning } = this.options;
    const path = this.pathOf(result);
    const known = await this.knownIn(path);
    const id = rolloutId({ runId, taskId: result.taskId, sample: result.sample });
    if (known.has(id)) return;
    this.store ??= await openStore();
    const episode = await readEpisode(this.store, await readRun(this.store, runId), result);
    const { line, warnings } = rowOf(episode, id);
    for (const warning of warnings) onWarning(`${id}: ${warning}`);
    known.add(id);
    if (line === null) return;
    await appendRow(path, line);
    this.written.set(path, (this.written.get(path) ?? 0) + 1);
  }

  private pathOf({ stopReason }: RolloutResult): string {
    const { folder, file } = this.options;
    if (file !== null) return resolve(folder, file);
    return join(folder, stopReason === 'natural' ? SAMPLES_FILE : FAILED_FILE);
  }

  /** The rollouts that the file has rows of. */
  private async knownIn(path: string): Promise<Set<string>> {
    const known = this.files.get(path) ?? (await rolloutsIn(path));
    this.files.set(path, known);
    return known;
  }
}

/** The same columns in every row, whatever the rollout: a file that only grows cannot have new ones later. */
function rowOf(episode: Episode, id: string): { line: string | null; warnings: string[] } {
  const bare = { ...episode, metadata: { rollout_id: id } };
  const { rows, warnings = [] } = shareGptFormat.rows([bare], CONTEXT);
  const value = rows[0]?.value as { metadata: Record<string, unknown> } | undefined;
  const messages = warnings.map(({ message }) => message);
  if (value === undefined) return { line: null, warnings: messages };
  const unparsed = value.metadata[UNPARSED_KEY] ?? '';
  const row = { ...value, metadata: { ...value.metadata, [UNPARSED_KEY]: unparsed } };
  return { line: pythonJson(row), warnings: messages };
}

async function rolloutsIn(path: string): Promise<Set<string>> {
  const found = new Set<string>();
  try {
    for await (const line of readLines(path)) {
      const id = 'text' in line ? rolloutIn(line.text) : null;
      if (id !== null) found.add(id);
    }
  } catch (cause) {
    if (errnoOf(cause) !== 'ENOENT') throw cause;
  }
  return found;
}

function rolloutIn(line: string): string | null {
  try {
    const row = JSON.parse(line) as { metadata?: { rollout_id?: unknown } | null } | null;
    return typeof row?.metadata?.rollout_id === 'string' ? row.metadata.rollout_id : null;
  } catch {
    // A torn last line: whoever wrote it was killed, and its rollout is saved again.
    return null;
  }
}

/** In one write, after a line feed where a torn line has none. */
async function appendRow(path: string, line: string): Promise<void> {
  const start = (await endsTorn(path)) ? '\n' : '';
  const file = await openOwn(path, APPENDING);
  try {
    await file.appendFile(`${start}${line}\n`);
  } finally {
    await file.close();
  }
}

async function endsTorn(path: string): Promise<boolean> {
  const size = (await stat(path).catch(() => null))?.size ?? 0;
  if (size === 0) return false;
  const file = await open(path, 'r');
  try {
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
    return buffer[0] !== NEWLINE;
  } finally {
    await file.close();
  }
}
