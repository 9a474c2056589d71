import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import type { ImageSource } from '../../src/core/rollout/task.schema.js';
import { BubblewrapDriver } from '../../src/sandbox/bubblewrap/index.js';
import type { Sandbox } from '../../src/sandbox/sandbox.js';
import { NEVER, run, SandboxKit, textOf } from './conformance/kit.js';
import { tarOf } from './conformance/tar.js';

const driver = new BubblewrapDriver();
const owner = new SandboxKit(() => driver, { kind: 'image', name: 'host' }).owner();
afterAll(() => driver.close());

const noContext = (): Promise<Uint8Array> => Promise.reject(new Error('there is none'));

function create(image: string, source: ImageSource): Promise<Sandbox> {
  const limits = { cpus: null, memoryMb: null, storageMb: null, workdir: null, healthcheck: null };
  return driver.create({ image, spec: { ...limits, image: source, network: 'none', env: {} }, owner }, NEVER);
}

function dockerfileSource(digit: string): ImageSource {
  return { kind: 'dockerfile', context: { sha256: digit.repeat(64), bytes: 1 }, buildTimeoutMs: 10_000 };
}

test('a Dockerfile of the supported subset is built once and starts each sandbox', async () => {
  const dockerfile = `FROM debian:bookworm-slim
WORKDIR /app
ENV NAME=world
COPY data/ ./data/
COPY --chmod=755 run.sh /usr/local/bin/run-it
RUN mkdir -p /srv/out && chmod 700 /srv/out && ln data/a.txt data/b.txt \\
  && touch -d "2020-01-01T00:00:00Z" /srv/out/old && ln -s /srv/out/old current
`;
  let loaded = 0;
  const context = () => {
    loaded += 1;
    return tarOf([
      { name: 'Dockerfile', data: dockerfile },
      { name: 'data/a.txt', data: 'a\n' },
      { name: 'run.sh', data: '#!/bin/sh\necho "hello $NAME"\n' },
    ]);
  };
  const source = dockerfileSource('a');
  const image = await driver.prepareImage(source, context, NEVER);
  expect(await driver.prepareImage(source, context, NEVER)).toBe(image);
  expect(loaded).toBe(1);
  const [first, second] = await Promise.all([create(image, source), create(image, source)]);
  const script =
    'pwd; run-it; cat data/b.txt; stat -c "%a" /srv/out; stat -L -c "%Y" current; echo changed > data/a.txt';
  for (const sandbox of [first, second]) {
    expect(await sandbox.changedPaths()).toEqual([]);
    expect(textOf(await run(sandbox, script))).toBe('/app\nhello world\na\n700\n1577836800\n');
  }
});

test.each([
  ['RUN echo because >&2; exit 3', /line 2: RUN ended with exit code 3/, 'because\n'],
  ['RUN sleep 30', /line 2: RUN ran longer than 2000 ms/, ''],
  ['VOLUME /data', /line 2: VOLUME is not supported/, undefined],
  ['USER agent', /line 2: USER agent is not supported/, undefined],
])('a Dockerfile with %s fails to build and says why', async (line, message, log) => {
  const source: ImageSource = {
    ...dockerfileSource('b'),
    kind: 'dockerfile',
    context: { sha256: 'b'.repeat(64), bytes: 1 },
    buildTimeoutMs: 2_000,
  };
  const building = driver.prepareImage(
    source,
    () => tarOf([{ name: 'Dockerfile', data: `FROM x\n${line}\n` }]),
    NEVER,
  );
  const error = await building.catch((cause: unknown) => cause);
  expect(error).toMatchObject({
    code: 'image_build_failed',
    message: expect.stringMatching(message),
    retryable: false,
  });
  if (log !== undefined) expect(error).toMatchObject({ details: { log } });
  expect((await driver.list('')).length).toBe(0);
});

test('a folder with a root file system is an image: its programs read-only, the rest copied', async () => {
  const root = await smallRoot();
  await mkdir(join(root, 'etc'));
  await mkdir(join(root, 'srv/data'), { recursive: true });
  await writeFile(join(root, 'etc/issue'), 'of the folder\n');
  await writeFile(join(root, 'srv/data/file'), 'kept\n');
  const source: ImageSource = { kind: 'image', name: root };
  const sandbox = await create(await driver.prepareImage(source, noContext, NEVER), source);
  const script = 'cat /etc/issue /srv/data/file; echo changed > /srv/data/file; (: > /usr/x) || echo no';
  expect(textOf(await run(sandbox, `{ ${script}; } 2>/dev/null; command -v ls`))).toBe(
    'of the folder\nkept\nno\n',
  );
  expect(textOf(await run(await create(root, source), 'cat /srv/data/file'))).toBe('kept\n');
  await rm(root, { recursive: true });
});

test('an image that is neither `host` nor such a folder is missing, with the way out', async () => {
  for (const name of ['debian:bookworm-slim', '/nonexistent']) {
    const preparing = driver.prepareImage({ kind: 'image', name }, noContext, NEVER);
    await expect(preparing).rejects.toMatchObject({
      code: 'image_missing',
      hint: expect.stringContaining('--sandbox docker'),
    });
  }
});

/** A root with a shell, perl and cat, and the libraries that they need. */
async function smallRoot(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'longrun-root-'));
  const script = `set -e; cd ${root}; chmod 755 .; mkdir -p usr/bin usr/lib usr/lib64
    for name in bin lib lib64; do ln -s usr/$name $name; done
    cp -L /bin/sh /usr/bin/perl /bin/cat usr/bin/
    ldd usr/bin/* | grep -o '/[^ ]*' | grep -v : | sort -u | while read -r lib; do cp -L --parents "$lib" .; done
    perl -e 'print $INC{"strict.pm"}' -Mstrict | { read -r strict || true; cp -L --parents "$strict" .; }`;
  await promisify(execFile)('/bin/sh', ['-c', script]);
  return root;
}
