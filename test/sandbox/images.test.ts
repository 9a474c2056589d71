import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImageSource, SandboxSpec } from '../../src/core/rollout/task.schema.js';
import { DAY_MS } from '../../src/core/time.js';
import { DockerDriver } from '../../src/sandbox/docker/index.js';
import type { ImageKeeper, MadeImage } from '../../src/sandbox/image-keeper.js';
import { reapImages } from '../../src/sandbox/reap-images.js';
import type { SandboxOwner } from '../../src/sandbox/sandbox.js';
import { singleFileTar } from '../../src/sandbox/single-file-tar.js';
import { docker } from '../support/docker-host.js';
import { BASE_IMAGE } from '../support/engine.js';

const installation = `test-${randomUUID()}`;
const NEVER = new AbortController().signal;
let useFolder: string;
let ours: DockerDriver;
let theirs: DockerDriver;
let keeper: ImageKeeper;

beforeAll(async () => {
  useFolder = await mkdtemp(join(tmpdir(), 'longrun-test-image-use-'));
  ours = new DockerDriver({ images: { installation, useFolder } });
  theirs = new DockerDriver({ images: { installation: `${installation}-other`, useFolder } });
  keeper = ours.imageKeeper as ImageKeeper;
});
afterAll(async () => {
  for (const { ref } of await ours.list(installation)) await (await ours.adopt(ref))?.destroy();
  const built = await docker('images', '--quiet', '--filter', `label=dev.longrun.builder=${installation}`);
  const other = await docker(
    'images',
    '--quiet',
    '--filter',
    `label=dev.longrun.builder=${installation}-other`,
  );
  const left = `${built}\n${other}`.split('\n').filter((id) => id !== '');
  if (left.length > 0) await docker('rmi', '--force', ...new Set(left));
  await rm(useFolder, { recursive: true, force: true });
});

/** Builds an image that nobody has built before; answers its name. */
async function build(driver: DockerDriver): Promise<string> {
  const source: ImageSource = {
    kind: 'dockerfile',
    context: { sha256: randomBytes(32).toString('hex'), bytes: 1 },
    buildTimeoutMs: 60_000,
  };
  const dockerfile = `FROM ${BASE_IMAGE}\nENV MADE=${randomUUID()}\n`;
  return driver.prepareImage(source, () => singleFileTar('Dockerfile', Buffer.from(dockerfile)), NEVER);
}

async function container(image: string) {
  const owner: SandboxOwner = {
    clusterId: installation,
    namespace: 'default',
    hostId: 'here',
    runId: 'images',
    taskId: 'one',
    sample: 0,
    attempt: 1,
    role: 'agent',
  };
  const spec: SandboxSpec = {
    image: { kind: 'image', name: image },
    cpus: null,
    memoryMb: null,
    storageMb: null,
    network: 'none',
    env: {},
    workdir: null,
    healthcheck: null,
  };
  return ours.create({ image, spec, owner }, NEVER);
}

const listed = async (): Promise<MadeImage[]> => keeper.list();
const find = async (name: string): Promise<MadeImage | undefined> =>
  (await listed()).find((image) => image.name === name);

describe('images that an installation built', () => {
  it('are known by their label, with their last use; nobody else’s are', async () => {
    const mine = await build(ours);
    const another = await build(theirs);
    expect((await readdir(useFolder)).length).toBeGreaterThan(1);
    expect(await find(mine)).toMatchObject({ kind: 'task', inUse: false, runId: null });
    expect(Date.now() - ((await find(mine))?.lastUsedAtMs ?? 0)).toBeLessThan(DAY_MS);
    expect(await find(another)).toBeUndefined();
    expect((await listed()).some(({ name }) => name === BASE_IMAGE)).toBe(false);
  });

  it('count as in use while a container was made of them, or somebody gave them a name', async () => {
    const image = await build(ours);
    const sandbox = await container(image);
    expect(await find(image)).toMatchObject({ inUse: true });
    expect(await keeper.remove((await find(image)) as MadeImage)).toBe(false);
    await sandbox.destroy();
    expect(await find(image)).toMatchObject({ inUse: false });

    const own = `a-users-own-name:${installation.slice(5, 13)}`;
    await docker('tag', image, own);
    expect(await find(image)).toMatchObject({ inUse: true });
    await docker('rmi', own);
  });

  it('and kept snapshots are told apart; what a snapshot builds on is in use', async () => {
    const image = await build(ours);
    const sandbox = await container(image);
    const snapshot = await sandbox.snapshot?.();
    await sandbox.destroy();
    const name = snapshot?.image ?? '';
    expect(await find(name)).toMatchObject({ kind: 'snapshot', runId: 'images', inUse: false });
    expect(await find(image)).toMatchObject({ kind: 'task', inUse: true });
    expect(await keeper.remove((await find(name)) as MadeImage)).toBe(true);
    expect(await find(image)).toMatchObject({ inUse: false });
  });

  it('go in the order of their last use when the disk is short, and are built anew when asked for', async () => {
    const [first, second, third] = [await build(ours), await build(ours), await build(ours)];
    const uses = await readdir(useFolder);
    const age = async (name: string, days: number) => {
      const file = uses.find((use) => name.endsWith(use.split('_').at(-1) ?? '-')) ?? '';
      const at = (Date.now() - days * DAY_MS) / 1000;
      await utimes(join(useFolder, file), at, at);
    };
    await age(first, 1);
    await age(second, 3);
    await age(third, 2);
    const removed: string[] = [];
    await reapImages({
      keeper,
      now: Date.now,
      isDiskShort: async () => removed.length < 2,
      hasRun: async () => true,
      onRemoved: ({ name }) => removed.push(name),
    });
    expect(removed).toEqual([second, third]);
    expect(await find(first)).toBeDefined();
    expect(await find(second)).toBeUndefined();
    // Nothing is remembered of it that is no longer so.
    await expect(container(second)).rejects.toMatchObject({ code: 'image_missing', retryable: true });
  });
});
