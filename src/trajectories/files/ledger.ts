import { type FileHandle, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { APPENDING, openOwn } from '../../store/filesystem/open-own.js';

/** What a line of the file holds. */
interface Entry<T> {
  key: string;
  value: T;
}

/**
 * What was done already, so that an interrupted command goes on where it stopped and pays for nothing twice: JSON
 * lines `{"key":…,"value":…}`, only ever appended, on disk before `put` returns. The newest value of a
 * key counts; a last line that a crash tore is forgotten. One process at a time writes to a file.
 */
export class Ledger<T> {
  private constructor(
    readonly path: string,
    private readonly entries: Map<string, T>,
    private readonly file: FileHandle,
  ) {}

  /** Opens a ledger, made if missing with its folder. */
  static async open<T>(path: string): Promise<Ledger<T>> {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    await mkdir(dirname(path), { recursive: true });
    const file = await openOwn(path, APPENDING, 0o600);
    // What is appended must not become part of the torn line.
    if (text !== '' && !text.endsWith('\n')) await file.appendFile('\n');
    return new Ledger(
      path,
      new Map(
        text
          .split('\n')
          .flatMap(readEntry<T>)
          .map(({ key, value }) => [key, value]),
      ),
      file,
    );
  }

  get size(): number {
    return this.entries.size;
  }

  get(key: string): T | undefined {
    return this.entries.get(key);
  }

  async put(key: string, value: T): Promise<void> {
    await this.putAll([{ key, value }]);
  }

  /** Several at the price of one. */
  async putAll(entries: readonly Entry<T>[]): Promise<void> {
    if (entries.length === 0) return;
    await this.file.appendFile(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    await this.file.datasync();
    for (const { key, value } of entries) this.entries.set(key, value);
  }

  async close(): Promise<void> {
    await this.file.close();
  }

  /** Closes and removes it: there is nothing left to go on with. */
  async remove(): Promise<void> {
    await this.close();
    await rm(this.path, { force: true });
  }
}

function readEntry<T>(line: string): Entry<T>[] {
  try {
    const { key, value } = JSON.parse(line) as Partial<Entry<T>>;
    return typeof key === 'string' && value !== undefined ? [{ key, value }] : [];
  } catch {
    return [];
  }
}
