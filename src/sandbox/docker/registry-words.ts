import { HOUR_MS } from '../../core/time.js';

/**
 * What a failed pull says of its registry. The engine passes a registry's answer on in words, and what it answers
 * itself is 500 for nearly all of them (20.10) or differs from version to version.
 * `again`: too many requests, trouble of the registry's, or of the network. `refused`: the same call will fail again.
 */
export type RegistryVerdict = 'again' | 'refused' | 'unknown';

const TOO_MANY = /toomanyrequests|too many requests|rate limit|HTTP 429\b/i;
/** A status stands behind a colon, an address, or `HTTP` where the registry's answer was no JSON. */
const TROUBLE = /(?:: |HTTP )5\d\d\b|\bunavailable\b|internal server error|bad gateway/i;
const TIMEOUT = /timeout|timed out|deadline exceeded/i;
const NETWORK =
  /no such host|server misbehaving|name resolution|connection (?:refused|reset|closed)|broken pipe|network is (?:unreachable|down)|no route to host|host is down|\bEOF\b|request canceled|use of closed network connection|stream error|GOAWAY/i;

const UNKNOWN_IMAGE =
  /(?:manifest|name|blob) unknown|\bnot found\b|does not exist|no such file|no matching manifest|invalid reference/i;
const NOT_ALLOWED =
  /\bdenied\b|unauthorized|forbidden|authentication required|no basic auth credentials|incorrect username or password/i;
const BAD_ANSWER = /(?:: |HTTP )4\d\d\b|x509:|server gave HTTP response to HTTPS client/i;
const AGAIN = [TROUBLE, TIMEOUT, NETWORK];
const REFUSED = [UNKNOWN_IMAGE, NOT_ALLOWED, BAD_ANSWER];

/** `image`: its name, which stands in many of the words and may hold any of those that are looked for. */
export function registryVerdict(words: string, image = ''): RegistryVerdict {
  const said = image === '' ? words : words.replaceAll(image, '');
  if (TOO_MANY.test(said)) return 'again';
  // Before the words of the network, which a file that is not there may have in its name.
  if (REFUSED.some((pattern) => pattern.test(said))) return 'refused';
  return AGAIN.some((pattern) => pattern.test(said)) ? 'again' : 'unknown';
}

const LONGEST_WAIT_MS = HOUR_MS;
const UNIT_MS: Readonly<Record<string, number>> = {
  ...{ h: HOUR_MS, m: HOUR_MS / 60, s: 1_000, ms: 1 },
  ...{ us: 1e-3, µs: 1e-3, μs: 1e-3, ns: 1e-6 },
};

/**
 * Milliseconds that a registry asks to wait, at most an hour; null when it does not say. The engine tells of no
 * headers, but some registries repeat theirs in words: `toomanyrequests: retry-after: 985.86µs, allowed: 44000/minute`
 * (GitHub's). A number alone is seconds, as in the header.
 */
export function askedWaitMs(words: string): number | null {
  const asked = /retry-after:? ?([\dhmsuµμn.]{1,40})/i.exec(words)?.[1];
  if (asked === undefined) return null;
  const parts = [...asked.matchAll(/(\d{1,12}(?:\.\d{1,12})?)(h|ms|m|s|us|µs|μs|ns)?/g)];
  if (parts.length === 0) return null;
  const ms = parts.reduce((sum, [, count, unit = 's']) => sum + Number(count) * (UNIT_MS[unit] ?? 0), 0);
  return Math.min(LONGEST_WAIT_MS, Math.ceil(ms));
}
