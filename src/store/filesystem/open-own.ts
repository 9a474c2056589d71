import { constants, type FileHandle, lstat, open, readlink, unlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { badInput, type LongrunError } from '../../core/errors.js';
import { errnoOf } from './store-error.js';

const { O_WRONLY, O_CREAT, O_EXCL, O_APPEND, O_TRUNC, O_NOFOLLOW } = constants;
/** As many as the kernel follows. */
const LINKS_FOLLOWED = 40;
/** What the kernel says of a file or link that another user has put where ours goes. */
const REFUSED = new Set(['ELOOP', 'EACCES', 'EPERM', 'EEXIST']);

/** Ways of opening a file. */
export const EXISTING = O_WRONLY;
export const APPENDING = O_WRONLY | O_CREAT | O_APPEND;
export const IN_PLACE = O_WRONLY | O_CREAT;
export const EMPTIED = O_WRONLY | O_CREAT | O_TRUNC;

/**
 * Makes a new file in place of what has its name. In a folder that users share, somebody else may have put a link to
 * one of our files there. Errors: `bad_input` where that cannot be removed.
 */
export async function createFile(path: string, mode = 0o666): Promise<FileHandle> {
  try {
    await unlink(path).catch((cause: unknown) => {
      if (errnoOf(cause) !== 'ENOENT') throw cause;
    });
    return await open(path, O_WRONLY | O_CREAT | O_EXCL, mode);
  } catch (cause) {
    if (!REFUSED.has(errnoOf(cause) ?? '')) throw cause;
    throw (await inTheWay(path)) ?? cause;
  }
}

/** Opens a file without following links of other users; our own lead where they always did. Errors: `bad_input`. */
export async function openOwn(path: string, flags: number, mode = 0o666): Promise<FileHandle> {
  let at = path;
  for (let followed = 0; ; followed += 1) {
    try {
      return await open(at, flags | O_NOFOLLOW, mode);
    } catch (cause) {
      if (!REFUSED.has(errnoOf(cause) ?? '')) throw cause;
      const foreign = await inTheWay(at);
      if (foreign !== null || errnoOf(cause) !== 'ELOOP' || followed === LINKS_FOLLOWED)
        throw foreign ?? cause;
      at = resolve(dirname(at), await readlink(at));
    }
  }
}

/** Cuts a file of ours off behind so many bytes. */
export async function truncateOwn(path: string, bytes: number): Promise<void> {
  const file = await openOwn(path, EXISTING);
  try {
    await file.truncate(bytes);
  } finally {
    await file.close();
  }
}

/** Null when what is there is this user's own. */
async function inTheWay(path: string): Promise<LongrunError | null> {
  const found = await lstat(path).catch(() => null);
  const user = process.geteuid?.();
  if (found === null || user === undefined || found.uid === user) return null;
  const what = found.isSymbolicLink() ? `a link to ${await readlink(path)}` : 'a file';
  return badInput(
    `${path} was put there by another user: found ${what} of uid ${found.uid}, accepted: nothing, or a file or link of uid ${user}.`,
    'Remove it, or write to a folder that nobody else may write to.',
    { path, uid: found.uid },
  );
}
