import { createHash, randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import type { ImageSource } from '../../../src/core/rollout/task.schema.js';
import { builtImageName } from '../../../src/sandbox/docker/images.js';
import { DockerDriver } from '../../../src/sandbox/docker/index.js';
import { eventually, NEVER, run, SandboxKit, textOf } from '../conformance/kit.js';
import { tarOf } from '../conformance/tar.js';
import { docker } from './kit.js';

type Built = Extract<ImageSource, { kind: 'dockerfile' }>;
const made: string[] = [];
const driver = new DockerDriver();

/** A build context of its own for each test run, so that nothing is in place yet. */
async function contextOf(
  dockerfile: string,
  buildTimeoutMs = 60_000,
): Promise<{ source: Built; tar: Uint8Array }> {
  const tar = await tarOf([
    { name: 'Dockerfile', data: `${dockerfile}\nLABEL run=${randomBytes(8).toString('hex')}\n` },
    { name: 'hello.txt', data: 'hello from the context\n' },
  ]);
  const sha256 = createHash('sha256').update(tar).digest('hex');
  const source: Built = { kind: 'dockerfile', context: { sha256, bytes: tar.length }, buildTimeoutMs };
  made.push(builtImageName(source));
  return { source, tar };
}

const kits: SandboxKit[] = [];
function kitOf(source: ImageSource): SandboxKit {
  const kit = new SandboxKit(() => new DockerDriver(), source);
  kits.push(kit);
  return kit;
}

afterAll(async () => {
  await Promise.all(kits.map((kit) => kit.close()));
  for (const name of made) await docker('image', 'rm', '--force', name).catch(() => undefined);
});

describe('a Dockerfile', () => {
  test('becomes an image, once for all who ask, with its user and directory', async () => {
    const { source, tar } = await contextOf(
      'FROM debian:bookworm-slim\nCOPY hello.txt /srv/\nWORKDIR /srv\nUSER nobody\nENTRYPOINT ["/bin/false"]',
    );
    let loads = 0;
    const load = async () => {
      loads += 1;
      return tar;
    };
    const names = await Promise.all([1, 2, 3].map(() => driver.prepareImage(source, load, NEVER)));
    expect(new Set(names)).toEqual(new Set([builtImageName(source)]));
    expect(await driver.prepareImage(source, load, NEVER)).toBe(names[0]);
    expect(loads).toBe(1);

    const kit = kitOf(source);
    await kit.open();
    const sandbox = await kit.fresh();
    expect(textOf(await run(sandbox, 'cat hello.txt; id -un; pwd'))).toBe(
      'hello from the context\nnobody\n/srv\n',
    );
    const adopted = await kit.makeDriver().adopt(sandbox.ref);
    expect(textOf(await run(adopted as never, 'id -un; pwd'))).toBe('nobody\n/srv\n');
    expect(textOf(await run(sandbox, 'id -un', { user: 'root' }))).toBe('root\n');
  });

  test('that does not build is refused with its last lines', async () => {
    const { source, tar } = await contextOf(
      'FROM debian:bookworm-slim\nRUN echo "the reason is here" && exit 3',
    );
    const failed = driver.prepareImage(source, async () => tar, NEVER);
    await expect(failed).rejects.toMatchObject({ code: 'image_build_failed', retryable: false });
    await expect(failed).rejects.toSatisfy((error: { details: { log: string } }) =>
      error.details.log.includes('the reason is here'),
    );
  });

  test('that is no Dockerfile is refused too', async () => {
    const { source, tar } = await contextOf('NONSENSE here');
    await expect(driver.prepareImage(source, async () => tar, NEVER)).rejects.toMatchObject({
      code: 'image_build_failed',
      retryable: false,
    });
  });

  test('that takes too long is given up', async () => {
    const { source, tar } = await contextOf('FROM debian:bookworm-slim\nRUN sleep 60', 1_500);
    await expect(driver.prepareImage(source, async () => tar, NEVER)).rejects.toMatchObject({
      code: 'image_build_failed',
      message: expect.stringContaining('1.5 s'),
    });
  });

  test('need not be waited for', async () => {
    const { source, tar } = await contextOf('FROM debian:bookworm-slim\nRUN sleep 60');
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 300);
    await expect(driver.prepareImage(source, async () => tar, controller.signal)).rejects.toMatchObject({
      code: 'cancelled',
    });
  });
});

describe('an image', () => {
  test('that is nowhere is missing, with a hint', async () => {
    const source: ImageSource = { kind: 'image', name: 'localhost:1/no/such:image' };
    await expect(driver.prepareImage(source, () => Promise.reject(new Error()), NEVER)).rejects.toMatchObject(
      {
        code: 'image_missing',
        hint: expect.stringContaining('docker'),
      },
    );
  });

  test('without a shell is refused in words', async () => {
    const { source, tar } = await contextOf('FROM scratch\nCOPY hello.txt /');
    const kit = kitOf(source);
    await driver.prepareImage(source, async () => tar, NEVER);
    await kit.open();
    await expect(kit.fresh()).rejects.toMatchObject({
      code: 'sandbox_failed',
      retryable: false,
      message: expect.stringContaining('/bin/sh'),
    });
    expect(await driver.list(kit.clusterId)).toEqual([]);
  });

  test('whose shell is bash works alike', async () => {
    const { source, tar } = await contextOf('FROM debian:bookworm-slim\nRUN ln -sf bash /bin/sh');
    await driver.prepareImage(source, async () => tar, NEVER);
    const kit = kitOf(source);
    await kit.open();
    const sandbox = await kit.fresh();
    await run(
      sandbox,
      'for i in 1 2 3; do (sleep 0.1 &); done; for s in 1 2 3 9 15; do kill -$s 1; done; kill -9 -1',
    );
    const limited = await run(sandbox, 'echo out; sleep 60', { timeoutMs: 500 });
    expect(limited).toMatchObject({ timedOut: true });
    expect(textOf(limited)).toBe('out\n');
    const count = 'n=0; for d in /proc/[0-9]*; do n=$((n+1)); done; echo $n';
    expect(await eventually(async () => textOf(await run(sandbox, count)) === '3\n')).toBe(true);
  });
});

test('an engine that is not there is said to be missing', async () => {
  const nowhere = new DockerDriver({ connection: { socketPath: '/nonexistent/docker.sock' } });
  expect(await nowhere.probe()).toMatchObject({
    available: false,
    hint: expect.stringContaining('docker.io'),
  });
  await expect(nowhere.list('any')).rejects.toMatchObject({ code: 'sandbox_unavailable', retryable: true });
});
