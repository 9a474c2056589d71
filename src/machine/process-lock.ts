import { randomUUID } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LongrunError } from '../core/errors.js';
import { isAlive, ownIdentity, type ProcessIdentity } from './process-identity.js';

/** What a lock says of itself. `info` is the holder's own, stored as it is: JSON with snake-case keys. */
export interface LockState<Info> {
  holder: ProcessIdentity;
  info: Info;
  released: boolean;
  /** Not released, and its holder lives. */
  held: boolean;
}

export interface ProcessLock<Info> {
  /** Replaces what others read; `holder` passes the lock on to the life of another process. */
  update(info: Info, holder?: ProcessIdentity): void;
  /** Gives the lock up; `info` stays readable. */
  release(): void;
}

type Content<Info> = Omit<LockState<Info>, 'held'>;

/** A generation as it is found: deleted since it was listed, or of a content that says nothing. */
type Found<Info> = LockState<Info> | 'gone' | 'damaged';

const SCHEMA_VERSION = 1;

interface LockFile<Info> {
  schema_version: typeof SCHEMA_VERSION;
  pid: number;
  started_at: string;
  released: boolean;
  info: Info;
}

/**
 * Takes `<path>.lock.<n>`, a lock that ends with the life of its holder. There is no flock in Node, so it is a
 * row of generations, each made once by link(2) of a complete file; the highest one counts. The highest is never
 * deleted, which is what makes a late taker of a deleted number notice that it lost.
 */
export function tryAcquire<Info>(
  path: string,
  info: Info,
  holder: ProcessIdentity = ownIdentity(),
): ProcessLock<Info> | { heldBy: LockState<Info> } {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  for (;;) {
    const generations = listGenerations(path);
    const highest = generations.at(-1);
    const current = highest === undefined ? null : stateOf(readGeneration<Info>(path, highest));
    // Deleted between the listing and the reading: there is a higher one by now.
    if (current === 'gone') continue;
    if (current?.held) return { heldBy: current };
    const mine = (highest ?? 0) + 1;
    if (!createGeneration(path, mine, { holder, info, released: false })) continue;
    const now = listGenerations(path);
    if (now.at(-1) !== mine) {
      rmSync(generationFile(path, mine), { force: true });
      continue;
    }
    for (const lower of now.slice(0, -1)) rmSync(generationFile(path, lower), { force: true });
    return heldLock(path, mine, { holder, info, released: false });
  }
}

/** The lock as it stands, held or not; null when nobody ever took it, or what it said is lost. */
export function readLock<Info>(path: string): LockState<Info> | null {
  for (;;) {
    const highest = listGenerations(path).at(-1);
    if (highest === undefined) return null;
    const state = stateOf(readGeneration<Info>(path, highest));
    if (state !== 'gone') return state;
  }
}

/** Files appear whole, so a damaged one is older than the last power cut: nobody who wrote it lives. */
function stateOf<Info>(found: Found<Info>): LockState<Info> | 'gone' | null {
  return found === 'damaged' ? null : found;
}

function heldLock<Info>(path: string, generation: number, content: Content<Info>): ProcessLock<Info> {
  const replace = (next: Content<Info>): void => {
    content = next;
    const temporary = writeTemporary(path, content);
    renameSync(temporary, generationFile(path, generation));
  };
  return {
    update: (info, holder = content.holder) => replace({ ...content, info, holder }),
    release: () => replace({ ...content, released: true }),
  };
}

const generationFile = (path: string, generation: number): string => `${path}.lock.${generation}`;

function listGenerations(path: string): number[] {
  const prefix = `${basename(path)}.lock.`;
  const folder = dirname(path);
  return (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
    .filter((suffix) => /^\d+$/.test(suffix))
    .map(Number)
    .sort((a, b) => a - b);
}

function readGeneration<Info>(path: string, generation: number): Found<Info> {
  const file = generationFile(path, generation);
  let content: Partial<LockFile<Info>> | null;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return 'damaged';
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'gone';
    throw error;
  }
  refuseNewer(file, content);
  const { pid, started_at: startedAt, released, info } = content ?? {};
  if (typeof pid !== 'number' || typeof startedAt !== 'string' || info === undefined) return 'damaged';
  const holder = { pid, startedAt };
  return { holder, info, released: released === true, held: released !== true && isAlive(holder) };
}

/** Whose holder may well live, and whose rules are not known here. */
function refuseNewer(file: string, content: { schema_version?: unknown } | null): void {
  const found = content?.schema_version;
  if (typeof found !== 'number' || found <= SCHEMA_VERSION) return;
  throw new LongrunError(
    'record_newer',
    `${file} has schema_version ${found}; this longrun reads up to ${SCHEMA_VERSION}`,
    {
      hint: 'It was written by a newer longrun: upgrade this one, or remove the file once that one has ended.',
    },
  );
}

/** False when another process made this generation first. */
function createGeneration(path: string, generation: number, content: Content<unknown>): boolean {
  const temporary = writeTemporary(path, content);
  try {
    linkSync(temporary, generationFile(path, generation));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

function writeTemporary(path: string, { holder, info, released }: Content<unknown>): string {
  const content: LockFile<unknown> = {
    schema_version: SCHEMA_VERSION,
    pid: holder.pid,
    started_at: holder.startedAt,
    released,
    info,
  };
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
  // On disk before it has its name: a power cut would leave an empty file there.
  writeFileSync(temporary, JSON.stringify(content), { mode: 0o600, flush: true });
  return temporary;
}
