import { badInput, LongrunError } from '../../core/errors.js';
import { withoutTrailingSlashes } from '../../core/text/without-trailing-slashes.js';
import { checkKey } from '../check-key.js';

/** Where a store on S3-compatible storage is. Credentials are no part of it. */
export interface S3Location {
  bucket: string;
  /** Put before every key, without a slash at its end; empty for a bucket of our own. */
  prefix: string;
  /** Null: as the standard AWS settings say, else AWS itself. */
  endpoint: string | null;
  region: string | null;
  forcePathStyle: boolean;
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PARAMETERS = ['endpoint', 'region', 'forcePathStyle'];
const ACCEPTED =
  'Accepted is s3://bucket/prefix?endpoint=https://host:port&region=name&forcePathStyle=true (all after the bucket may be left out).';

/** Reads `s3://bucket/prefix?endpoint=…&region=…&forcePathStyle=…`. Errors: `bad_input`, which never repeats a secret. */
export function parseS3Location(text: string): S3Location {
  if (!text.startsWith('s3://'))
    throw refused(`found ${JSON.stringify(text)}, which is not an s3:// address`);
  const [address = '', query = ''] = text.slice('s3://'.length).split(/\?(.*)/s);
  if (address.includes('@')) {
    throw refused('it holds credentials', 'Give them by the standard AWS_* variables or a profile.');
  }
  const [bucket = '', ...rest] = withoutTrailingSlashes(address).split('/');
  if (!BUCKET.test(bucket)) throw refused(`${JSON.stringify(bucket)} is no name of a bucket`);
  const prefix = rest.join('/');
  if (prefix !== '') checkPrefix(prefix);
  const parameters = readParameters(query);
  const endpoint = readEndpoint(parameters.get('endpoint') ?? null);
  const style = parameters.get('forcePathStyle') ?? String(endpoint !== null);
  if (style !== 'true' && style !== 'false')
    throw refused(`forcePathStyle is ${JSON.stringify(style)}, not true or false`);
  return {
    bucket,
    prefix,
    endpoint,
    region: parameters.get('region') || null,
    forcePathStyle: style === 'true',
  };
}

function checkPrefix(prefix: string): void {
  try {
    checkKey(prefix);
  } catch (error) {
    throw refused(
      `${JSON.stringify(prefix)} is no prefix of keys`,
      (LongrunError.is(error) && error.hint) || ACCEPTED,
    );
  }
}

function readParameters(query: string): URLSearchParams {
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys()) {
    if (PARAMETERS.includes(name)) continue;
    throw refused(
      `${JSON.stringify(name)} is no parameter of it`,
      `Parameters are ${PARAMETERS.join(', ')}.`,
    );
  }
  return parameters;
}

function readEndpoint(text: string | null): string | null {
  if (text === null) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw refused('its endpoint is not an address that starts with http:// or https://');
  if (url.username !== '' || url.password !== '') {
    throw refused(
      'its endpoint holds credentials',
      'Give them by the standard AWS_* variables or a profile.',
    );
  }
  return text;
}

function refused(why: string, hint = ACCEPTED): LongrunError {
  return badInput(`The store (--store, LONGRUN_STORE) cannot be used: ${why}.`, hint);
}
