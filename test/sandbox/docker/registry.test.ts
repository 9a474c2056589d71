import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { ImageSource } from '../../../src/core/rollout/task.schema.js';
import { DockerDriver } from '../../../src/sandbox/docker/index.js';
import { NEVER } from '../conformance/kit.js';
import { tarOf } from '../conformance/tar.js';
import { type RegistryAnswer, refuseWith, startRegistry } from './support/registry-double.js';

const driver = new DockerDriver();

const noContext = () => Promise.reject(new Error('it is not built'));

const pull = (name: string): Promise<string> =>
  driver.prepareImage({ kind: 'image', name }, noContext, NEVER);

async function build(dockerfile: string): Promise<string> {
  const tar = await tarOf([{ name: 'Dockerfile', data: dockerfile }]);
  const sha256 = createHash('sha256').update(tar).digest('hex');
  const context = { sha256, bytes: tar.length };
  const source: ImageSource = { kind: 'dockerfile', context, buildTimeoutMs: 60_000 };
  return driver.prepareImage(source, async () => tar, NEVER);
}

const unavailable: RegistryAnswer = (response) => void response.writeHead(503).end('<html>503</html>');
const tooMany = refuseWith(429, 'TOOMANYREQUESTS', 'retry-after: 1m30s, allowed: 44000/minute');

describe('an image may be had later', () => {
  test.each<[string, RegistryAnswer, string]>([
    [
      'allows no more pulls',
      refuseWith(429, 'TOOMANYREQUESTS', 'You have reached your pull rate limit.'),
      'limit',
    ],
    ['is in trouble', refuseWith(500, 'UNKNOWN', 'unknown error'), '500'],
    [
      'stands behind a gateway that is in trouble',
      (response) => void response.writeHead(502).end('<html>'),
      '502',
    ],
    ['is unavailable', unavailable, '503'],
    ['breaks off', (_, request) => void request.socket.destroy(), 'EOF'],
  ])('where its registry %s', async (_, answer, words) => {
    await expect(pull(await startRegistry(answer))).rejects.toMatchObject({
      code: 'image_missing',
      retryable: true,
      message: expect.stringContaining(words),
    });
  });

  test.each([
    ['127.0.0.1:1/some/image:1', 'connection refused'],
    ['registry.invalid/some/image:1', 'lookup registry.invalid'],
  ])('where nobody answers at %s', async (name, words) => {
    await expect(pull(name)).rejects.toMatchObject({
      code: 'image_missing',
      retryable: true,
      message: expect.stringContaining(words),
    });
  });

  test('after the wait that its registry asks for', async () => {
    await expect(pull(await startRegistry(tooMany))).rejects.toMatchObject({
      retryable: true,
      details: { retryAfterMs: 90_000 },
    });
  });
});

describe('an image is missing for good', () => {
  const realm = { 'www-authenticate': 'Basic realm="registry"' };
  test.each<[string, RegistryAnswer, string]>([
    ['does not know it', refuseWith(404, 'MANIFEST_UNKNOWN', 'manifest unknown'), 'manifest unknown'],
    ['does not know its repository', refuseWith(404, 'NAME_UNKNOWN', 'no such repository'), 'repository'],
    ['wants credentials', refuseWith(401, 'UNAUTHORIZED', 'authentication required', realm), 'unauthorized'],
    ['does not give it to this host', refuseWith(403, 'DENIED', 'access is denied'), 'denied'],
  ])('where its registry %s', async (_, answer, words) => {
    await expect(pull(await startRegistry(answer))).rejects.toMatchObject({
      code: 'image_missing',
      retryable: false,
      message: expect.stringContaining(words),
    });
  });

  test('where its name is none', async () => {
    await expect(pull('127.0.0.1:1/Some/image:1')).rejects.toMatchObject({
      retryable: false,
      message: expect.stringContaining('invalid reference'),
    });
  });
});

describe('a Dockerfile whose first image', () => {
  test.each<[string, RegistryAnswer, number | null]>([
    ['allows no more pulls', tooMany, 90_000],
    ['is unavailable', unavailable, null],
  ])('cannot be pulled now may be built later: its registry %s', async (_, answer, retryAfterMs) => {
    await expect(build(`FROM ${await startRegistry(answer)}\n`)).rejects.toMatchObject({
      code: 'image_missing',
      retryable: true,
      details: { retryAfterMs },
    });
  });

  test('is unknown does not build', async () => {
    const image = await startRegistry(refuseWith(404, 'MANIFEST_UNKNOWN', 'manifest unknown'));
    await expect(build(`FROM ${image}\n`)).rejects.toMatchObject({
      code: 'image_build_failed',
      retryable: false,
      message: expect.stringContaining('manifest unknown'),
    });
  });

  test('is there, and whose commands fail with the words of a network, does not build', async () => {
    await expect(build('FROM debian:bookworm-slim\nRUN echo "i/o timeout"; false\n')).rejects.toMatchObject({
      code: 'image_build_failed',
      retryable: false,
    });
  });
});
