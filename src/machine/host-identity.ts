import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LongrunError } from '../core/errors.js';
import { tryAcquire } from './process-lock.js';

const FILE = 'host-id';
const ACCEPTED = /^[A-Za-z0-9._-]{1,128}$/;
/** Whoever makes a new identity in place of a lost one needs a moment. */
const LOOKS = 100;
const LOOK_AGAIN_MS = 20;

/**
 * The stable id of this state folder as a host; queues and sandbox labels carry it. One that a power cut has emptied
 * is made anew. Errors: `record_invalid` for a file that holds something else.
 */
export async function hostIdentity(stateDir: string, newId: () => string): Promise<string> {
  const path = join(stateDir, FILE);
  const name =
    hostname()
      .replace(/[^A-Za-z0-9-]/g, '-')
      .slice(0, 40) || 'host';
  const identity = `${name}-${newId().slice(0, 8)}`;
  if ((await readText(path)) === null) await placeWhole(path, identity, linkIfAbsent);
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const found = await read(path);
    if (found !== null) return found;
    if (!(await renewLost(path, identity))) await sleep(LOOK_AGAIN_MS);
  }
  throw new LongrunError('internal', `${path} is empty, and another process has been about to write it`, {
    hint: 'End that process, or remove the file; then try again.',
    retryable: true,
  });
}

/** Null for what a power cut has left of a file: nothing, or zeroed blocks. */
async function read(path: string): Promise<string | null> {
  const text = ((await readText(path)) ?? '').replaceAll('\0', '').trim();
  if (text === '') return null;
  if (ACCEPTED.test(text)) return text;
  throw new LongrunError('record_invalid', `${path} does not hold the name of a host`, {
    hint: 'Something other than longrun wrote it: restore it, or remove it for a new name.',
    details: { path },
  });
}

/** Of several processes only one renews it; false while another one does. */
async function renewLost(path: string, identity: string): Promise<boolean> {
  const lock = tryAcquire(path, null);
  if ('heldBy' in lock) return false;
  try {
    if ((await read(path)) === null) await placeWhole(path, identity, rename);
  } finally {
    lock.release();
  }
  return true;
}

/** On disk before it has its name, so that what has the name is whole. */
async function placeWhole(
  path: string,
  identity: string,
  place: (from: string, to: string) => Promise<void>,
): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  await writeFile(temporary, `${identity}\n`, { flag: 'wx', mode: 0o600, flush: true });
  try {
    await place(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

async function linkIfAbsent(from: string, to: string): Promise<void> {
  await link(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

async function readText(path: string): Promise<string | null> {
  return await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}
