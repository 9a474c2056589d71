import { type FileHandle, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { pythonJsonPieces } from '../../formats/python-json.js';
import { APPENDING, createFile, openOwn } from '../../store/filesystem/open-own.js';

const FLUSH_BYTES = 256 * 1024;
const compress = promisify(gzip);

/**
 * A file of lines on its way: written under a hidden name in its folder, synced and renamed when it is whole, so
 * that whoever finds the file finds all of it. What a crashed writer left under the hidden name is replaced.
 */
export class LineFile {
  /** Lines written so far. */
  lines = 0;
  /** Where it is until then. */
  readonly temp: string;
  private buffered: string[] = [];
  private bytes = 0;
  private handle: FileHandle | null = null;
  private begun = false;

  constructor(readonly path: string) {
    this.temp = join(dirname(path), `.${basename(path)}.partial`);
  }

  /** Adds a row as its JSON, of which memory holds a piece at a time. */
  async row(value: unknown): Promise<void> {
    this.lines += 1;
    for (const piece of pythonJsonPieces(value)) await this.append(piece);
    await this.append('\n');
  }

  /** Adds a line (without its line feed). Awaiting it is the backpressure. */
  async write(line: string): Promise<void> {
    this.lines += 1;
    await this.append(`${line}\n`);
  }

  /** Adds text as it is. */
  async append(text: string): Promise<void> {
    this.buffered.push(text);
    this.bytes += text.length;
    if (this.bytes >= FLUSH_BYTES) await this.flush();
  }

  /** Gives the file descriptor back; the next write opens the file again. */
  async release(): Promise<void> {
    await this.flush();
    await this.handle?.close();
    this.handle = null;
  }

  /** Everything is on disk, still under the hidden name. */
  async sync(): Promise<void> {
    await this.flush();
    await (await this.opened()).sync();
    await this.release();
  }

  /** After `sync`: the file appears. */
  async place(): Promise<void> {
    await rename(this.temp, this.path);
  }

  async abandon(): Promise<void> {
    this.buffered = [];
    await this.handle?.close().catch(() => undefined);
    this.handle = null;
    await rm(this.temp, { force: true });
  }

  private async flush(): Promise<void> {
    if (this.buffered.length === 0) return;
    const text = this.buffered.join('');
    this.buffered = [];
    this.bytes = 0;
    // gzip files may be joined end to end: each flush is a member of its own.
    const bytes = this.path.endsWith('.gz') ? await compress(text) : Buffer.from(text);
    await (await this.opened()).writeFile(bytes);
  }

  private async opened(): Promise<FileHandle> {
    this.handle ??= await (this.begun ? openOwn(this.temp, APPENDING) : createFile(this.temp));
    this.begun = true;
    return this.handle;
  }
}
