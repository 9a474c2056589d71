import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** A line of a text file; `number` counts from 1, blank lines included. */
export type Line =
  | { number: number; text: string }
  /** `raw` is what can be shown of it: at most RAW_MAX_BYTES. */
  | { number: number; broken: string; raw: string };

export interface ReadLinesOptions {
  /** A longer line is broken. Default: what JSON.parse can take in without taking all memory. */
  maxLineBytes?: number;
}

const MAX_LINE_BYTES = 256 * 1024 * 1024;
const RAW_MAX_BYTES = 64 * 1024;
const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 0x0a;
const BOM = [0xef, 0xbb, 0xbf];

/**
 * The lines of a UTF-8 file, one in memory at a time; `.gz` is unpacked on the way. A byte order mark, `\r`
 * before the line feed and blank lines are left out, the last line needs no line feed. Bytes that are no
 * UTF-8 and lines over the limit are answered as broken, and reading goes on after them.
 * Errors: those of the file system; of zlib, for a file that is torn or no gzip.
 */
export async function* readLines(path: string, options: ReadLinesOptions = {}): AsyncGenerator<Line> {
  const splitter = new LineSplitter(options.maxLineBytes ?? MAX_LINE_BYTES);
  for await (const chunk of chunksOf(path)) {
    for (const line of splitter.push(chunk)) yield line;
  }
  for (const line of splitter.end()) yield line;
}

async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  if (!path.endsWith('.gz')) return yield* file as AsyncIterable<Buffer>;
  const unpacked: Readable = createGunzip({ chunkSize: CHUNK_BYTES });
  file.on('error', (error) => unpacked.destroy(error));
  try {
    yield* file.pipe(unpacked as ReturnType<typeof createGunzip>) as AsyncIterable<Buffer>;
  } finally {
    file.destroy();
  }
}

/** Splits bytes at line feeds: a character may lie across chunks, a line feed never does. */
class LineSplitter {
  private parts: Buffer[] = [];
  private bytes = 0;
  private number = 0;

  constructor(private readonly maxBytes: number) {}

  *push(chunk: Buffer): Generator<Line> {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.hold(chunk.subarray(from, at));
      from = at + 1;
      yield* this.line();
    }
    this.hold(chunk.subarray(from));
  }

  *end(): Generator<Line> {
    if (this.bytes > 0) yield* this.line();
  }

  /** Of a line over the limit only the start is kept. */
  private hold(part: Buffer): void {
    if (this.bytes <= this.maxBytes && part.length > 0) this.parts.push(part);
    this.bytes += part.length;
    if (this.bytes > this.maxBytes) this.parts = [startOf(this.parts)];
  }

  private *line(): Generator<Line> {
    this.number += 1;
    const { parts, bytes, number } = this;
    this.parts = [];
    this.bytes = 0;
    if (bytes > this.maxBytes) {
      const broken = `the line has ${bytes} bytes, at most ${this.maxBytes} can be read`;
      yield { number, broken, raw: startOf(parts).toString('utf8') };
      return;
    }
    const whole = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    const text = decode(number === 1 ? withoutBom(whole) : whole);
    if (text === null) {
      yield { number, broken: 'the line is not UTF-8', raw: startOf([whole]).toString('utf8') };
    } else if (text.trim() !== '') {
      yield { number, text: text.endsWith('\r') ? text.slice(0, -1) : text };
    }
  }
}

const startOf = (parts: readonly Buffer[]): Buffer => Buffer.concat(parts).subarray(0, RAW_MAX_BYTES);
const withoutBom = (line: Buffer): Buffer =>
  BOM.every((byte, i) => line[i] === byte) ? line.subarray(BOM.length) : line;

const decode = (bytes: Buffer): string | null => (isUtf8(bytes) ? bytes.toString('utf8') : null);
