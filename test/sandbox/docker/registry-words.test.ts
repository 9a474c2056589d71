import { expect, test } from 'vitest';
import { askedWaitMs, registryVerdict } from '../../../src/sandbox/docker/registry-words.js';

/** As engines from 20.10 to 29, with their own image store and with containerd's, word what registries answer. */
const AGAIN = [
  'toomanyrequests: You have reached your pull rate limit. You may increase the limit by authenticating and upgrading: https://www.docker.com/increase-rate-limit',
  'toomanyrequests: retry-after: 985.86µs, allowed: 44000/minute',
  'failed to resolve reference "docker.io/library/nginx:latest": unexpected status from HEAD request to https://registry-1.docker.io/v2/library/nginx/manifests/latest: 429 Too Many Requests',
  'failed to copy: httpReadSeeker: failed open: unexpected status code https://registry-1.docker.io/v2/x/manifests/sha256:2c6f: 429 Too Many Requests - Server message: toomanyrequests',
  'failed to authorize: failed to fetch anonymous token: unexpected status from GET request to https://auth.docker.io/token: 429 Too Many Requests',
  'error parsing HTTP 429 response body: invalid character \'s\' looking for beginning of value: "slow down"',
  'received unexpected HTTP status: 500 Internal Server Error',
  'received unexpected HTTP status: 502 Bad Gateway',
  'received unexpected HTTP status: 503 Service Unavailable',
  'received unexpected HTTP status: 520 ',
  'unexpected status from HEAD request to http://127.0.0.1:5000/v2/some/image/manifests/1: 503 Service Unavailable',
  'unknown: failed to resolve reference "ghcr.io/a/b:1": unexpected status from HEAD request to https://ghcr.io/v2/a/b/manifests/1: 503 Service Unavailable',
  'Get "https://registry-1.docker.io/v2/": net/http: TLS handshake timeout',
  'Get "https://registry-1.docker.io/v2/": net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)',
  'Get "https://registry-1.docker.io/v2/": context deadline exceeded',
  'Get "https://registry-1.docker.io/v2/": dial tcp 10.0.0.1:443: i/o timeout',
  'Get "http://127.0.0.1:1/v2/": dial tcp 127.0.0.1:1: connect: connection refused',
  'Get "https://registry-1.docker.io/v2/": dial tcp: lookup registry-1.docker.io on 10.0.0.53:53: no such host',
  'Get "https://registry-1.docker.io/v2/": dial tcp: lookup registry-1.docker.io: Temporary failure in name resolution',
  'read tcp 10.0.0.2:40000->10.0.0.1:443: read: connection reset by peer',
  'Get "http://127.0.0.1:5000/v2/": EOF',
  'unexpected EOF',
];
const REFUSED = [
  'manifest unknown',
  'manifest for debian:nope not found: manifest unknown: manifest unknown',
  'failed to resolve reference "docker.io/library/debian:nope": docker.io/library/debian:nope: not found',
  'name unknown: repository name not known to registry',
  "pull access denied for nope, repository does not exist or may require 'docker login': denied: requested access to the resource is denied",
  'unauthorized: authentication required',
  'Head "http://127.0.0.1:5000/v2/some/image/manifests/1": no basic auth credentials',
  'Get "https://ghcr.io/v2/a/b/manifests/1": denied: denied',
  'unknown: failed to resolve reference "ghcr.io/a/b:1": unexpected status from HEAD request to https://ghcr.io/v2/a/b/manifests/1: 403 Forbidden',
  'unexpected status from HEAD request to https://example.org/v2/a/manifests/1: 401 Unauthorized',
  "error parsing HTTP 403 response body: invalid character 'o' in literal null (expecting 'u'): \"no\"",
  'COPY failed: file not found in build context or excluded by .dockerignore: stat timeout.txt: file does not exist',
  'no matching manifest for linux/amd64 in the manifest list entries',
  'invalid reference format: repository name must be lowercase',
  'Get "https://example.org/v2/": x509: certificate signed by unknown authority',
  'Get "https://example.org/v2/": http: server gave HTTP response to HTTPS client',
];

test.each(AGAIN)('a pull may be tried again after: %s', (words) => {
  expect(registryVerdict(words)).toBe('again');
});

test.each(REFUSED)('a pull is not tried again after: %s', (words) => {
  expect(registryVerdict(words)).toBe('refused');
});

test('an image whose name sounds like trouble is as unknown as any other', () => {
  const image = 'localhost:5000/timeout/no-such-host:EOF';
  expect(registryVerdict(`manifest for ${image} not found`, image)).toBe('refused');
});

test('words that say neither are told apart from both', () => {
  expect(registryVerdict("invalid character 'g' looking for beginning of value")).toBe('unknown');
});

test.each([
  ['toomanyrequests: retry-after: 985.86µs, allowed: 44000/minute', 1],
  ['toomanyrequests: retry-after: 1.16676ms, allowed: 44000/minute', 2],
  ['toomanyrequests: retry-after: 1m2.5s, allowed: 44000/minute', 62_500],
  ['too many requests, Retry-After: 17', 17_000],
  ['too many requests, retry-after: 96h0m0s', 3_600_000],
  ['too many requests, retry-after: 999999999999', 3_600_000],
  ['toomanyrequests: You have reached your pull rate limit.', null],
  ['retry-after: soon', null],
])('the wait in "%s" is %s ms', (words, ms) => {
  expect(askedWaitMs(words)).toBe(ms);
});
