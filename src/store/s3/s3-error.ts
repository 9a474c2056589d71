import { badInput, LongrunError } from '../../core/errors.js';
import type { S3Location } from './s3-location.js';

const FULL = new Set(['InsufficientStorage', 'QuotaExceeded', 'StorageFull', 'XMinioStorageFull']);
const CREDENTIALS = new Set([
  'AccessDenied',
  'CredentialsProviderError',
  'ExpiredToken',
  'Forbidden',
  'InvalidAccessKeyId',
  'InvalidToken',
  'SignatureDoesNotMatch',
  'TokenRefreshRequired',
  'XAdminUserNotFound',
]);
const REGION = new Set([
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraintException',
  'PermanentRedirect',
]);
/** Answers with a 4xx status that pass by themselves. */
const PASSING = new Set(['ConditionalRequestConflict', 'RequestTimeout', 'Throttling', 'TooManyRequests']);

interface S3Failure {
  name?: string;
  code?: string;
  message?: string;
  $metadata?: { httpStatusCode?: number };
}

/** The name under which S3 or the network knows a failure: `NoSuchKey`, `ECONNREFUSED`. */
export function failureName(cause: unknown): string {
  const { name, code, message } = (cause ?? {}) as S3Failure;
  // The client refuses to start without a region, and says so in words only.
  if (/region is missing/i.test(message ?? '')) return 'AuthorizationHeaderMalformed';
  return (name === 'Error' || name === 'AggregateError' ? code : name) ?? 'unknown';
}

/** The status that the server answered with; undefined when no answer came. */
export function statusOf(cause: unknown): number | undefined {
  return ((cause ?? {}) as S3Failure).$metadata?.httpStatusCode;
}

/** Whether the request may have been carried out although no answer says so. */
export function isUnanswered(cause: unknown): boolean {
  const status = statusOf(cause);
  return status === undefined || status >= 500 || PASSING.has(failureName(cause));
}

/** The one place where failures of S3 become ours: `store_full`, `store_unavailable` or `internal`. */
export function toS3Error(cause: unknown, key: string, location: S3Location): LongrunError {
  if (LongrunError.is(cause)) return cause;
  const name = failureName(cause);
  const where = placeOf(location);
  const options = { cause, details: { key, name, status: statusOf(cause) ?? null } };
  if (FULL.has(name)) {
    const hint = `Free some space in ${where}, then carry on: everything finished is kept.`;
    const message = `no space left for ${key} (${name})`;
    return new LongrunError('store_full', message, { ...options, retryable: true, hint });
  }
  const hint = correction(name, where) ?? (isUnanswered(cause) ? `Check that ${where} answers.` : null);
  if (hint === null) return new LongrunError('internal', `cannot store ${key}: ${String(cause)}`, options);
  const message = `cannot reach ${key} (${name})`;
  return new LongrunError('store_unavailable', message, { ...options, retryable: true, hint });
}

/** Why a store could not be opened: `bad_input` when somebody has to correct something, else as for a key. */
export function toS3OpenError(cause: unknown, location: S3Location): LongrunError {
  if (LongrunError.is(cause)) return cause;
  const name = failureName(cause);
  const where = placeOf(location);
  const status = statusOf(cause) ?? null;
  const refused = status !== null && status < 500 && !isUnanswered(cause) && !FULL.has(name);
  const hint = correction(name, where) ?? (refused ? credentialsHint(where) : null);
  if (hint === null) return toS3Error(cause, 'the store', location);
  return badInput(`cannot use the store ${where} (${name})`, hint, { name, status });
}

/** What somebody has to change before it can work; null where that is not the trouble. */
function correction(name: string, where: string): string | null {
  if (CREDENTIALS.has(name)) return credentialsHint(where);
  if (name === 'NoSuchBucket') return `There is no ${where}: create the bucket, or correct --store.`;
  if (REGION.has(name))
    return `The region of ${where} is wrong or missing: give region=… in --store, or set AWS_REGION.`;
  if (name === 'RequestTimeTooSkewed') return `The clocks of this machine and of ${where} differ: set them.`;
  if (name === 'NotImplemented')
    return `${where} lacks conditional writes (If-None-Match): use another server.`;
  return null;
}

function credentialsHint(where: string): string {
  return `The credentials do not open ${where}: check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, and that they may read, write, list and delete there.`;
}

function placeOf({ bucket, endpoint }: S3Location): string {
  return endpoint === null ? `s3://${bucket}` : `s3://${bucket} at ${endpoint}`;
}
