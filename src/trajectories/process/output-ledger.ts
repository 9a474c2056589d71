import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { LongrunError } from '../../core/errors.js';
import { append } from '../../core/lists/append.js';
import { isJsonObject } from '../../formats/json-spacing.js';
import { errnoOf } from '../../store/filesystem/store-error.js';

/** From 2 on an entry lists the files that it changed; before, it listed all there were. */
const VERSION = 2;

const headerSchema = z.object({
  schema_version: z.number().int().min(1).max(VERSION),
  run_id: z.string(),
  /** What the rows depend on besides the run. */
  options: z.record(z.string(), z.unknown()),
});
export type LedgerHeader = Omit<z.infer<typeof headerSchema>, 'schema_version'>;

const entrySchema = z.object({
  /** Written together: one, or a batch. */
  groups: z.array(z.string()),
  /** How long each file that the entry changed is with it. */
  bytes: z.record(z.string(), z.number().int().nonnegative()),
});
export type LedgerEntry = z.infer<typeof entrySchema>;

export interface FoundLedger {
  header: LedgerHeader;
  /** In the order in which they were written. */
  groups: string[];
  /** How long each file is with all entries. */
  sizes: Map<string, number>;
  /** Of its whole lines: a crash may have torn the last one. */
  bytes: number;
  /** An earlier version wrote it: what is appended to it now must not be read by that. */
  outdated: boolean;
}

/** The ledger of an output folder; null where there is none, or nothing but a torn first line. Errors: `bad_input`. */
export async function readLedger(path: string): Promise<FoundLedger | null> {
  const content = await readFile(path).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return Buffer.alloc(0);
    throw error;
  });
  const bytes = content.lastIndexOf('\n') + 1;
  const [first, ...rest] = content.subarray(0, bytes).toString('utf8').split('\n').slice(0, -1);
  if (first === undefined) return null;
  const { schema_version, ...header } = read(headerSchema, first, path, 1);
  const groups: string[] = [];
  const sizes = new Map<string, number>();
  for (const [i, line] of rest.entries()) {
    const entry = read(entrySchema, line, path, i + 2);
    append(groups, entry.groups);
    for (const [name, size] of Object.entries(entry.bytes)) sizes.set(name, size);
  }
  return { header, groups, sizes, bytes, outdated: schema_version < VERSION };
}

export const headerLine = (header: LedgerHeader): string => line({ schema_version: VERSION, ...header });

export const entryLine = (
  groups: readonly string[],
  sizes: Iterable<[name: string, bytes: number]>,
): string => line({ groups, bytes: Object.fromEntries(sizes) });

const line = (value: object): string => `${JSON.stringify(value)}\n`;

function read<T>(schema: z.ZodType<T>, text: string, path: string, number: number): T {
  try {
    const value: unknown = JSON.parse(text);
    refuseNewer(value, path);
    return schema.parse(value);
  } catch (error) {
    if (LongrunError.is(error)) throw error;
    throw new LongrunError('bad_input', `${path}:${number} is no entry of an output of longrun process`, {
      hint: '--force writes the folder anew from the groups that the store has; or choose another --output.',
    });
  }
}

function refuseNewer(value: unknown, path: string): void {
  const version = isJsonObject(value) ? value.schema_version : undefined;
  if (typeof version !== 'number' || version <= VERSION) return;
  throw new LongrunError(
    'record_newer',
    `${path} has schema_version ${version}; this longrun reads up to ${VERSION}`,
    { hint: 'It was written by a newer longrun: upgrade this one, or choose another --output.' },
  );
}
