import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { badInput, LongrunError } from '../../core/errors.js';
import { append } from '../../core/lists/append.js';
import {
  APPENDING,
  createFile,
  EMPTIED,
  EXISTING,
  openOwn,
  truncateOwn,
} from '../../store/filesystem/open-own.js';
import { errnoOf, toStoreError } from '../../store/filesystem/store-error.js';
import { syncFolder } from '../../store/filesystem/write-file.js';
import { entryLine, headerLine, type LedgerHeader, readLedger } from './output-ledger.js';

export const LEDGER_FILE = 'ledger.jsonl';
/** Written at once. */
const WRITE_CHARS = 256 * 1024;

/** What one entry adds: text, in pieces, by the name of a file that grows, and files that are whole at once. */
export interface Addition {
  groups: readonly string[];
  lines: ReadonlyMap<string, Iterable<string>>;
  documents: ReadonlyMap<string, string>;
}

export interface GrowingOptions {
  folder: string;
  header: LedgerHeader;
  /** Every file that may grow there. */
  files: readonly string[];
  /** What is there is replaced, whatever it is of. */
  force: boolean;
}

/**
 * A folder of files that grow together, entry by entry. Each entry of its ledger says how long the files are that it
 * changed, and is put after they were synced: a crash at any point leaves files that are cut back to the last entry at the next
 * opening, so that no row is lost, doubled or half. One process at a time writes to a folder.
 */
export class GrowingOutput {
  private constructor(
    readonly folder: string,
    /** In the order in which they were written. */
    readonly groups: string[],
    private readonly bytes: Map<string, number>,
  ) {}

  /** Errors: `already_exists` for a folder of another run or with other options, `store_full`, `store_unavailable`. */
  static async open({ folder, header, files, force }: GrowingOptions): Promise<GrowingOutput> {
    return await guarded(join(folder, LEDGER_FILE), async () => {
      await mkdir(folder, { recursive: true });
      if (force) await clear(folder);
      const found = await readLedger(join(folder, LEDGER_FILE));
      if (found === null) {
        if (!force) await refuseFiles(folder, files);
        for (const file of files) await rm(join(folder, file), { force: true });
        const output = new GrowingOutput(folder, [], new Map());
        await output.note(headerLine(header));
        await syncFolder(folder);
        return output;
      }
      refuseOther(folder, found.header, header);
      const { groups, sizes } = found;
      for (const file of files) await cutBack(folder, file, sizes.get(file) ?? 0);
      const output = new GrowingOutput(folder, groups, sizes);
      if (found.outdated) await output.place(LEDGER_FILE, headerLine(header) + entryLine(groups, sizes));
      else await truncateOwn(join(folder, LEDGER_FILE), found.bytes);
      return output;
    });
  }

  /** On disk, whole, once it returns. */
  async append({ groups, lines, documents }: Addition): Promise<void> {
    let made = false;
    const changed = new Map<string, number>();
    for (const [name, text] of documents) await this.place(name, text);
    for (const [name, pieces] of lines) {
      const before = this.bytes.get(name);
      made ||= before === undefined;
      const size = await this.guard(name, () => writeAt(join(this.folder, name), pieces, before ?? 0));
      this.bytes.set(name, size);
      changed.set(name, size);
    }
    if (made) await syncFolder(this.folder);
    await this.note(entryLine(groups, changed));
    append(this.groups, groups);
  }

  /** A file that is there whole or not at all, replacing what it was before. */
  async place(name: string, text: string): Promise<void> {
    const path = join(this.folder, name);
    await this.guard(name, async () => {
      await mkdir(dirname(path), { recursive: true });
      const temp = join(dirname(path), `.${basename(path)}.partial`);
      const file = await createFile(temp);
      try {
        await file.writeFile(text);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temp, path);
      await syncFolder(dirname(path));
    });
  }

  private async note(line: string): Promise<void> {
    await this.guard(LEDGER_FILE, async () => {
      const file = await openOwn(join(this.folder, LEDGER_FILE), APPENDING);
      try {
        await file.appendFile(line);
        await file.sync();
      } finally {
        await file.close();
      }
    });
  }

  private guard<T>(name: string, work: () => Promise<T>): Promise<T> {
    return guarded(join(this.folder, name), work);
  }
}

/**
 * Answers how long the file is then. What an earlier process wrote beyond its last entry is overwritten: the file was
 * cut back when it was opened.
 */
async function writeAt(path: string, pieces: Iterable<string>, at: number): Promise<number> {
  const file = await openOwn(path, at === 0 ? EMPTIED : EXISTING);
  let end = at;
  const write = async (text: string): Promise<void> => {
    const bytes = Buffer.from(text);
    for (let done = 0; done < bytes.length; )
      done += (await file.write(bytes, done, bytes.length - done, end + done)).bytesWritten;
    end += bytes.length;
  };
  try {
    let gathered = '';
    for (const piece of pieces) {
      gathered += piece;
      if (gathered.length < WRITE_CHARS) continue;
      await write(gathered);
      gathered = '';
    }
    await write(gathered);
    await file.datasync();
  } finally {
    await file.close();
  }
  return end;
}

/** What an earlier ledger names goes, and the ledger last: a crash leaves what the next `force` finds again. */
async function clear(folder: string): Promise<void> {
  const path = join(folder, LEDGER_FILE);
  const found = await readLedger(path).catch(() => null);
  for (const name of found?.sizes.keys() ?? []) await rm(join(folder, name), { force: true });
  await rm(path, { force: true });
}

async function cutBack(folder: string, name: string, bytes: number): Promise<void> {
  const path = join(folder, name);
  if (bytes === 0) return await rm(path, { force: true });
  const size = (await stat(path).catch(() => null))?.size ?? 0;
  if (size < bytes)
    throw badInput(
      `${path} has ${size} bytes, and had ${bytes} when it was written: it was changed since.`,
      '--force writes the folder anew from the groups that the store has; nothing is sampled again.',
    );
  await truncateOwn(path, bytes);
}

async function refuseFiles(folder: string, files: readonly string[]): Promise<void> {
  for (const name of files) {
    if ((await stat(join(folder, name)).catch(() => null)) === null) continue;
    throw taken(`${join(folder, name)} exists already, and ${folder} has no ${LEDGER_FILE} of ours`);
  }
}

function refuseOther(folder: string, found: LedgerHeader, now: LedgerHeader): void {
  if (found.run_id !== now.run_id)
    throw taken(
      `${folder} is the output of run ${found.run_id}, and this is ${now.run_id ? `run ${now.run_id}` : 'a new run'}`,
      `To carry that run on, add: --run-id ${found.run_id}. `,
    );
  const names = [...new Set([...Object.keys(found.options), ...Object.keys(now.options)])];
  const text = (value: unknown): string => JSON.stringify(value ?? null);
  const changed = names
    .filter((name) => text(found.options[name]) !== text(now.options[name]))
    .map((name) => `${name} was ${text(found.options[name])}, now ${text(now.options[name])}`);
  if (changed.length > 0) throw taken(`${folder} was begun with other options: ${changed.join('; ')}`);
}

function taken(message: string, hint = ''): LongrunError {
  return new LongrunError('already_exists', message, {
    hint: `${hint}--force replaces what is there; or choose another --output.`,
    exitCode: 2,
  });
}

/** Before anything is paid for: whether a run may write to a folder; `runId` is null for a run that has no name yet. */
export async function checkFolder(
  folder: string,
  header: Omit<LedgerHeader, 'run_id'>,
  runId: string | null,
) {
  const found = await readLedger(join(folder, LEDGER_FILE));
  if (found !== null) refuseOther(folder, found.header, { ...header, run_id: runId ?? '' });
}

async function guarded<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (LongrunError.is(cause) || errnoOf(cause) === undefined) throw cause;
    throw toStoreError(cause, basename(path), dirname(path));
  }
}
