import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { badInput, LongrunError } from '../../core/errors.js';
import { append } from '../../core/lists/append.js';
import type { Episode } from '../../core/trajectory/episode.schema.js';
import type { ImportFormat, ImportFormatName, InputRow, RowReader } from '../../formats/import-format.js';
import { isJsonObject, parseJson } from '../../formats/json-spacing.js';
import { errnoOf } from '../../store/filesystem/store-error.js';
import { detectFormat, IMPORT_FORMATS, importFormat } from '../input-formats.js';
import { isNestedDeeper, MAX_NESTING } from './nesting.js';
import { type Line, readLines } from './read-lines.js';
import type { Rejection } from './rejection.js';

export interface ReadFileOptions {
  /** Read as this format; null = told by the first row. */
  format: ImportFormatName | null;
  reject(rejection: Rejection): Promise<void>;
  maxLineBytes?: number;
}

/**
 * The episodes of one file, in its order; what cannot be read is handed to `reject`.
 * Errors: `bad_input` where the first row is of no known format, or the file cannot be read.
 */
export async function* readEpisodes(file: string, options: ReadFileOptions): AsyncGenerator<Episode> {
  const rows = new FileRows(file, options);
  try {
    if (await isDocument(file)) yield* await rows.document(await readText(file));
    else
      for await (const line of readLines(file, options)) {
        const read = await rows.line(line);
        yield* read;
      }
    yield* rows.end();
  } catch (cause) {
    // Errors of the file system and of zlib have a code; anything else is a bug of ours.
    if (LongrunError.is(cause) || errnoOf(cause) === undefined) throw cause;
    throw badInput(`${file} cannot be read: ${(cause as Error).message}`);
  }
}

/** A `.json` file, unless it holds lines as many data sets do: then its first line is an object by itself. */
async function isDocument(file: string): Promise<boolean> {
  if (!/\.json(\.gz)?$/.test(file)) return false;
  for await (const line of readLines(file)) return 'broken' in line || !isJsonObject(parseJson(line.text));
  return true;
}

/** The rows of a file on their way to its reader, which the first of them decides. */
class FileRows {
  private reader: RowReader | null = null;

  constructor(
    private readonly file: string,
    private readonly options: ReadFileOptions,
  ) {}

  async line(line: Line): Promise<Episode[]> {
    const { number } = line;
    if ('broken' in line) return this.refuse(number, line.broken, { raw: line.raw });
    const value = parse(line.text);
    if (value instanceof Error)
      return this.refuse(number, `the line is not JSON: ${value.message}`, { raw: line.text });
    return this.value(value, number);
  }

  async document(text: string): Promise<Episode[]> {
    const value = parse(text);
    if (value instanceof Error)
      return this.refuse(1, `the file is not JSON: ${value.message}`, { raw: text });
    const values = Array.isArray(value) ? value : [value];
    const read: Episode[] = [];
    for (const [i, each] of values.entries()) append(read, await this.value(each, i + 1));
    return read;
  }

  end(): Episode[] {
    return this.reader?.end() ?? [];
  }

  private async value(value: unknown, number: number): Promise<Episode[]> {
    if (!isJsonObject(value)) return this.refuse(number, 'the line is not a JSON object', { row: value });
    if (isNestedDeeper(value)) {
      const reason = `the row is nested more than ${MAX_NESTING} levels deep`;
      return this.refuse(number, reason, { raw: '' });
    }
    const row: InputRow = value;
    this.reader ??= formatOf(row, this.file, number, this.options.format).open();
    try {
      return this.reader.row(row, { file: this.file, line: number });
    } catch (error) {
      if (!LongrunError.is(error)) throw error;
      return this.refuse(number, error.message, { row });
    }
  }

  private async refuse(
    line: number,
    reason: string,
    what: { row?: unknown; raw?: string },
  ): Promise<Episode[]> {
    await this.options.reject({ file: this.file, line, reason, ...what });
    return [];
  }
}

function formatOf(row: InputRow, file: string, line: number, name: ImportFormatName | null): ImportFormat {
  const format = name === null ? detectFormat(row) : importFormat(name);
  if (format) return format;
  const keys = Object.keys(row).slice(0, 8).join(', ');
  throw badInput(
    `${file}:${line} is of no known format: found the keys ${keys || '(none)'}.`,
    `Accepted: ${IMPORT_FORMATS.map((known) => known.name).join(', ')}.`,
    { file, line },
  );
}

/** A byte order mark is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
  } catch (error) {
    return error;
  }
}

/** A document is one rollout, so it is read whole. */
async function readText(file: string): Promise<string> {
  const bytes = await readFile(file);
  return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
}
