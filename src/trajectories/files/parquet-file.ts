import { type FileHandle, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { badInput, LongrunError } from '../../core/errors.js';
import { type ColumnType, typeOf, UNKNOWN, unify } from '../../formats/parquet/column-type.js';
import { columnValue, fileMetadata, schemaElements } from '../../formats/parquet/parquet-columns.js';
import { createFile } from '../../store/filesystem/open-own.js';
import { LineFile } from './line-file.js';
import { readLines } from './read-lines.js';

/** JSON text of the rows of a row group: what is held in memory, times about twenty. */
const GROUP_CHARS = 4 * 1024 * 1024;

type Row = Readonly<Record<string, unknown>>;

/**
 * A file of rows on its way to Parquet. Types of columns are known when the last row is: until `sync` rows lie in
 * a hidden file of lines, then they are written by row groups, so that memory holds one group.
 */
export class ParquetFile {
  /** Rows written so far. */
  lines = 0;
  private type: ColumnType = UNKNOWN;
  private readonly spool: LineFile;
  private readonly temp: string;

  constructor(readonly path: string) {
    const [folder, name] = [dirname(path), basename(path)];
    this.temp = join(folder, `.${name}.partial`);
    this.spool = new LineFile(join(folder, `${name}.rows`));
  }

  /** Adds a row: a JSON object, numbers that are no integers as `Float`. Awaiting it is the backpressure. */
  async row(value: unknown): Promise<void> {
    this.lines += 1;
    this.type = unify(this.type, typeOf(value));
    await this.spool.row(value);
  }

  async release(): Promise<void> {
    await this.spool.release();
  }

  /** Everything is on disk as Parquet, still under the hidden name. Errors: `bad_input` without a row. */
  async sync(): Promise<void> {
    if (this.type.kind !== 'struct' || this.type.fields.size === 0)
      throw badInput(
        `${this.path}: there is no row to write, and a Parquet file without a row has no columns.`,
        'Lines of JSON may be empty: name an --output that ends in .jsonl.',
      );
    await this.spool.release();
    const file = await createFile(this.temp);
    try {
      await writeRowGroups(file, this.spool.temp, this.type.fields);
      await file.sync();
    } finally {
      await file.close();
    }
    await this.spool.abandon();
  }

  /** After `sync`: the file appears. */
  async place(): Promise<void> {
    await rename(this.temp, this.path);
  }

  async abandon(): Promise<void> {
    await this.spool.abandon();
    await rm(this.temp, { force: true });
  }
}

async function writeRowGroups(
  file: FileHandle,
  rows: string,
  fields: ReadonlyMap<string, ColumnType>,
): Promise<void> {
  const writer = fileWriter(file);
  const parquet = new ParquetWriter({
    writer,
    schema: schemaElements(fields),
    kvMetadata: fileMetadata(fields),
    createdBy: 'longrun',
  });
  for await (const group of rowGroups(rows)) {
    const columnData = [...fields].map(([name, type]) => ({
      name,
      data: group.map((row) => columnValue(type, row[name])),
    }));
    await parquet.write({ columnData, rowGroupSize: group.length });
  }
  await parquet.finish();
}

async function* rowGroups(path: string): AsyncGenerator<Row[]> {
  let group: Row[] = [];
  let chars = 0;
  for await (const line of readLines(path)) {
    if ('broken' in line) throw new LongrunError('internal', `${path}:${line.number}: ${line.broken}`);
    group.push(JSON.parse(line.text) as Row);
    chars += line.text.length;
    if (chars < GROUP_CHARS) continue;
    yield group;
    group = [];
    chars = 0;
  }
  if (group.length > 0) yield group;
}

/** The library's writer in memory, emptied into the file after each row group and at the end. */
function fileWriter(file: FileHandle): ByteWriter & { flush(): Promise<void> } {
  const writer = new ByteWriter();
  const flush = async () => {
    await file.writeFile(writer.getBytes());
    writer.index = 0;
  };
  return Object.assign(writer, { flush, finish: flush });
}
