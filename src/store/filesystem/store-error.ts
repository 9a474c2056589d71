import { badInput, LongrunError } from '../../core/errors.js';

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK']);
/** A key that lies below another key's value: a bug of the caller, which no retry mends. */
const MISPLACED = new Set(['ENOTDIR', 'EISDIR', 'ENOTEMPTY']);
/** Of a state folder: it is no folder, or this user may not write there. */
const UNUSABLE = new Set(['ENOTDIR', 'EEXIST', 'EACCES', 'EROFS']);

/** The system's error code of a failed file operation, or undefined when it is something else. */
export function errnoOf(cause: unknown): string | undefined {
  const code = (cause as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** The one place where errors of the file system become ours: `store_full`, `store_unavailable` or `internal`. */
export function toStoreError(cause: unknown, key: string, path: string): LongrunError {
  if (LongrunError.is(cause)) return cause;
  const errno = errnoOf(cause);
  const details = { key, path, errno: errno ?? null };
  if (errno === undefined || MISPLACED.has(errno)) {
    return new LongrunError('internal', `cannot store ${key}: ${String(cause)}`, { cause, details });
  }
  if (FULL.has(errno)) {
    return new LongrunError('store_full', `no space left for ${key} (${errno})`, {
      retryable: true,
      hint: `Free some disk space under ${path}, then carry on: everything finished is kept.`,
      cause,
      details,
    });
  }
  return new LongrunError('store_unavailable', `cannot reach ${key} (${errno})`, {
    retryable: true,
    hint: NO_LINKS.has(errno)
      ? 'The state folder needs a file system with hard links; choose another with --state-dir.'
      : `Check that ${path} exists and can be written by this user.`,
    cause,
    details,
  });
}

/** Why a store could not be opened: `bad_input` when its folder was badly chosen, else as for a key. */
export function toOpenError(cause: unknown, root: string): LongrunError {
  const errno = errnoOf(cause);
  if (errno === undefined || !UNUSABLE.has(errno)) return toStoreError(cause, 'the store', root);
  const why = errno === 'ENOTDIR' || errno === 'EEXIST' ? 'a file is in the way' : 'it cannot be written';
  return badInput(
    `cannot keep the store in ${root}: ${why} (${errno})`,
    'The state folder (--state-dir, LONGRUN_HOME) has to be a folder that can be written.',
    { path: root, errno },
  );
}
