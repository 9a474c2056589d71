import { expect, test } from 'vitest';
import { LongrunError } from '../../../src/core/errors.js';
import { Images } from '../../../src/sandbox/docker/images.js';
import { PublicNetwork } from '../../../src/sandbox/docker/network/public-network.js';
import { NEVER } from '../conformance/kit.js';
import { say, startEngineDouble } from './support/engine-double.js';

const CONTEXT = { sha256: 'f'.repeat(64), bytes: 1 };

/** An engine that has no images, and ends in the middle of its answer to the request. */
function startDyingEngine(dying: string) {
  return startEngineDouble({
    answer: (request, response) => {
      if (request !== dying) return say(response, 404, { message: 'no such image' });
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write(`${JSON.stringify({ stream: 'Step 1/2 : FROM debian' })}\n`);
      setImmediate(() => response.destroy());
    },
  });
}

test('a build under which the engine is restarted is no failure of its Dockerfile', async () => {
  const { docker } = await startDyingEngine('POST /build');
  const source = { kind: 'dockerfile', context: CONTEXT, buildTimeoutMs: 60_000 } as const;
  await expect(
    new Images(docker).prepare(source, async () => new Uint8Array(1), NEVER),
  ).rejects.toMatchObject({ code: 'sandbox_unavailable', retryable: true });
});

test('a pull under which the engine is restarted does not make its image missing', async () => {
  const { docker } = await startDyingEngine('POST /images/create');
  const source = { kind: 'image', name: 'some/image:1' } as const;
  const noContext = () => Promise.reject(new Error('it is not built'));
  await expect(new Images(docker).prepare(source, noContext, NEVER)).rejects.toMatchObject({
    code: 'sandbox_unavailable',
    retryable: true,
  });
});

test('a helper image that cannot be pulled now leaves its sandbox for later', async () => {
  const { docker } = await startEngineDouble({ answer: (_, response) => say(response, 200, {}) });
  const details = { retryAfterMs: 90_000 };
  const prepare = async () => {
    throw new LongrunError('image_missing', 'too many requests', { retryable: true, details });
  };
  const network = { current: async () => ({ id: 'one', subnets: [] }) };
  const open = new PublicNetwork(docker, network as never, { prepare } as never).open(
    { id: 'c0ffee' } as never,
    {},
    async () => undefined,
  );
  await expect(open).rejects.toMatchObject({ code: 'image_missing', retryable: true, details });
});
