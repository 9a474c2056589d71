import { LongrunError } from '../../core/errors.js';

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK']);
/** A key that lies below another key's value: a bug of the caller, which no retry mends. */
const MISPLACED = new Set(['ENOTDIR', 'EISDIR', 'ENOTEMPTY']);

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
