import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { LongrunError } from '../../core/errors.js';
import { errnoOf } from '../../store/filesystem/store-error.js';

const headerSchema = z.object({
  schema_version: z.literal(1),
  run_id: z.string(),
  /** What the rows depend on besides the run. */
  options: z.record(z.string(), z.unknown()),
});
export type LedgerHeader = z.infer<typeof headerSchema>;

const entrySchema = z.object({
  /** Written together: one, or a batch. */
  groups: z.array(z.string()),
  /** How long each file is with them. */
  bytes: z.record(z.string(), z.number().int().nonnegative()),
});
export type LedgerEntry = z.infer<typeof entrySchema>;

export interface FoundLedger {
  header: LedgerHeader;
  entries: LedgerEntry[];
  /** Of its whole lines: a crash may have torn the last one. */
  bytes: number;
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
  return {
    header: read(headerSchema, first, path, 1),
    entries: rest.map((line, i) => read(entrySchema, line, path, i + 2)),
    bytes,
  };
}

function read<T>(schema: z.ZodType<T>, line: string, path: string, number: number): T {
  try {
    return schema.parse(JSON.parse(line));
  } catch {
    throw new LongrunError('bad_input', `${path}:${number} is no entry of an output of longrun process`, {
      hint: '--force writes the folder anew from the groups that the store has; or choose another --output.',
    });
  }
}
