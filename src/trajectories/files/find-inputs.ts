import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { badInput, LongrunError } from '../../core/errors.js';
import { ID_PATTERN, parseRolloutId } from '../../core/ids.js';
import { append } from '../../core/lists/append.js';
import { errnoOf } from '../../store/filesystem/store-error.js';
import { keys } from '../../store/keys.js';
import { readRecord } from '../../store/records/records.js';
import { runRecordSchema } from '../../store/records/records.schema.js';
import { listRuns } from '../../store/runs.js';
import type { ArtifactStore } from '../../store/store.js';
import type { InputSource } from './input-source.js';

const ACCEPTED =
  'Accepted: the id of a run or rollout, a folder of trajectories, a .jsonl, .json or .gz file.';
const ROWS = /\.jsonl(\.gz)?$/;
/** What our own commands leave beside their outputs: only read when named. */
const LEFT_OUT = /((^|\.)rejected|^failed_trajectories|\.traj|\.scores|\.ledger|\.originals)\.jsonl(\.gz)?$/;
const DOCUMENT = 'trajectory.json';
const DOCUMENTS = /^(?!manifest_)[^.].*\.json$/;
const MAX_DEPTH = 4;

/**
 * What each name stands for: an existing file; a run of the store (before a folder of the same name); a folder;
 * a rollout. Errors: `bad_input` for a name that is nothing of these, or a folder with nothing in it.
 */
export async function findInputs(
  names: readonly string[],
  openStore: () => Promise<ArtifactStore>,
): Promise<InputSource[]> {
  if (names.length === 0) throw badInput('no input was named.', ACCEPTED);
  const found: InputSource[] = [];
  for (const name of new Set(names)) append(found, await findInput(name, openStore));
  const paths = new Set<string>();
  // A file that is named beside its folder is read once.
  return found.filter((source) => {
    if (source.kind !== 'file') return true;
    const path = resolve(source.path);
    return !paths.has(path) && paths.add(path);
  });
}

async function findInput(name: string, openStore: () => Promise<ArtifactStore>): Promise<InputSource[]> {
  const kind = await kindOf(name);
  // What goes over its input twice would find nothing the second time, and say so nowhere.
  if (kind === 'stream')
    throw badInput(
      `${name} is a pipe or a device, which can be read only once.`,
      'Write it to a file first.',
    );
  if (kind === 'file' && name.endsWith('.parquet'))
    throw badInput(`${name} is a Parquet file, which is written but not read.`, ACCEPTED);
  if (kind === 'file') return [{ kind, name, path: name, found: false }];
  if (ID_PATTERN.test(name)) {
    const store = await openStore();
    if (await readRecord(store, runRecordSchema, keys.run(name)))
      return [{ kind: 'run', name, store, runId: name }];
  }
  if (kind === 'folder') return filesIn(name);
  const rollout = parseRolloutId(name);
  const store = await openStore();
  if (rollout && (await readRecord(store, runRecordSchema, keys.run(rollout.runId))))
    return [{ kind: 'rollout', name, store, rollout }];
  throw await unknownName(name, store);
}

async function kindOf(path: string): Promise<'file' | 'folder' | 'stream' | null> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) return 'folder';
    return found.isFile() ? 'file' : 'stream';
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT' || errnoOf(cause) === 'ENOTDIR') return null;
    throw badInput(`${path} cannot be read: ${(cause as Error).message}`);
  }
}

/** Files of rows at the top of the folder; where there are none, the documents of a job below it; else those at its top. */
async function filesIn(folder: string): Promise<InputSource[]> {
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.')).sort();
  const rows = names.filter((name) => ROWS.test(name) && !LEFT_OUT.test(name));
  const at = (name: string): string => join(folder, name);
  let paths = rows.map(at);
  if (paths.length === 0) paths = await documentsBelow(folder, 0);
  if (paths.length === 0) paths = names.filter((name) => DOCUMENTS.test(name)).map(at);
  if (paths.length === 0) {
    const aside = names.filter((name) => ROWS.test(name)).join(', ');
    throw badInput(
      `${folder} has no trajectories.${aside === '' ? '' : ` It has ${aside}, read only when named.`}`,
      'A folder is searched for *.jsonl files, else for trajectory.json files below it, else for *.json files.',
    );
  }
  return paths.map((path) => ({ kind: 'file', name: folder, path, found: true }));
}

/** Links are not followed: a folder below may be a link to one above. */
async function documentsBelow(folder: string, depth: number): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isFile() && entry.name === DOCUMENT) found.push(path);
    if (entry.isDirectory() && depth < MAX_DEPTH && !entry.name.startsWith('.'))
      append(found, await documentsBelow(path, depth + 1));
  }
  return found;
}

async function unknownName(name: string, store: ArtifactStore): Promise<LongrunError> {
  const newest = (await listRuns(store, () => undefined)).slice(0, 3).map(({ runId }) => runId);
  const runs = newest.length === 0 ? 'There are no runs here.' : `The newest runs: ${newest.join(', ')}.`;
  return new LongrunError('not_found', `${JSON.stringify(name)} is no run, rollout, folder or file`, {
    hint: `${runs} ${ACCEPTED}`,
    exitCode: 2,
    details: { name: basename(name) },
  });
}
