import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { findServerBinary } from '../../src/temporal/server-binary.js';
import { isAtLeast } from '../../src/temporal/server-version.js';
import { temporaryFolder } from '../support/state.js';

async function fakeBinary(path: string, serverVersion: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  const script = `#!/bin/sh\necho "temporal version 1.5.1 (Server ${serverVersion}, UI 2.42.1)"\n`;
  await writeFile(path, script, { mode: 0o755 });
  return path;
}

test('the configured program wins, then PATH, then the bin folder of Go, then the cache', async () => {
  const home = await temporaryFolder();
  const env: NodeJS.ProcessEnv = { HOME: home, PATH: join(home, 'bin') };
  const places = [
    await fakeBinary(join(home, '.cache', 'longrun', 'bin', 'temporal'), '1.29.4'),
    await fakeBinary(join(home, 'go', 'bin', 'temporal'), '1.29.3'),
  ];
  expect(await findServerBinary(env)).toMatchObject({ path: places[1], serverVersion: '1.29.3' });
  const onPath = await fakeBinary(join(home, 'bin', 'temporal'), '1.29.2');
  expect(await findServerBinary(env)).toEqual({ path: onPath, serverVersion: '1.29.2', foundBy: 'PATH' });
  expect(await findServerBinary({ ...env, LONGRUN_TEMPORAL_BINARY: places[0] })).toMatchObject({
    serverVersion: '1.29.4',
  });
});

test('a program that is something else, or too old, is passed over', async () => {
  const home = await temporaryFolder();
  const env: NodeJS.ProcessEnv = { HOME: home, PATH: `${join(home, 'a')}:${join(home, 'b')}` };
  await mkdir(join(home, 'a'));
  await symlink('/bin/echo', join(home, 'a', 'temporal'));
  await fakeBinary(join(home, 'b', 'temporal'), '1.24.2');
  await expect(findServerBinary(env)).rejects.toMatchObject({ code: 'temporal_version' });
  await fakeBinary(join(home, 'go', 'bin', 'temporal'), '1.29.1');
  expect(await findServerBinary(env)).toMatchObject({ serverVersion: '1.29.1' });
});

test('where there is none, the error prints the lines that install it', async () => {
  const home = await temporaryFolder();
  await expect(findServerBinary({ HOME: home, PATH: '' })).rejects.toMatchObject({
    code: 'temporal_binary_missing',
    hint: expect.stringMatching(/brew install temporal.*go install .*temporal@v1\.5\.1/),
  });
});

test('a configured program that does not run is an error, not a reason to search on', async () => {
  await expect(findServerBinary({ LONGRUN_TEMPORAL_BINARY: '/nonexistent/temporal' })).rejects.toMatchObject({
    code: 'temporal_binary_missing',
    message: expect.stringContaining('/nonexistent/temporal'),
  });
});

test.each([
  ['1.28.0', true],
  ['1.29.1', true],
  ['2.0.0', true],
  ['1.27.9', false],
  ['1.5.1', false],
  ['custom', true],
])('server version %s is new enough: %s', (version, expected) => {
  expect(isAtLeast(version, '1.28.0')).toBe(expected);
});
