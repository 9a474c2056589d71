import { readFile } from 'node:fs/promises';
import { IN_PLACE, openOwn, truncateOwn } from '../../store/filesystem/open-own.js';
import { errnoOf } from '../../store/filesystem/store-error.js';

const LINE_END = 10;

/**
 * A file of lines of which each has its number, from 0, and is on disk once `put` returns. Who writes the same lines
 * again, or after a crash, ends with the same file: a line goes to the place where those before it end.
 */
export class LineFile {
  private constructor(
    private readonly path: string,
    private lines: number,
    private bytes: number,
  ) {}

  /** Cuts off what a crash left of a last line. */
  static async open(path: string): Promise<LineFile> {
    const content = await readFile(path).catch((error: unknown) => {
      if (errnoOf(error) === 'ENOENT') return null;
      throw error;
    });
    if (content === null) return new LineFile(path, 0, 0);
    const bytes = content.lastIndexOf(LINE_END) + 1;
    if (bytes < content.length) await truncateOwn(path, bytes);
    return new LineFile(path, content.subarray(0, bytes).filter((byte) => byte === LINE_END).length, bytes);
  }

  /** Lines that it has. */
  get length(): number {
    return this.lines;
  }

  /** The next line, without its end. */
  async put(text: string): Promise<void> {
    const bytes = Buffer.from(`${text}\n`);
    // Never truncated: another executor may have gone on behind this place.
    const file = await openOwn(this.path, IN_PLACE);
    try {
      for (let done = 0; done < bytes.length; )
        done += (await file.write(bytes, done, bytes.length - done, this.bytes + done)).bytesWritten;
      await file.datasync();
    } finally {
      await file.close();
    }
    this.lines += 1;
    this.bytes += bytes.length;
  }
}
