import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { hostIdentity } from '../../src/machine/host-identity.js';
import { livingHosts } from '../../src/machine/host-lock.js';
import { readLock, tryAcquire } from '../../src/machine/process-lock.js';
import { serverStatus } from '../../src/temporal/embedded-server.js';
import { countClients, registerClient } from '../../src/temporal/server-clients.js';
import { serverFolder } from '../../src/temporal/server-folder.js';
import { temporaryFolder } from '../support/state.js';

/** Files that were given their name, and those of them whose content was on disk by then. */
const disk = vi.hoisted(() => ({ flushed: new Set<string>(), named: [] as string[] }));

vi.mock(import('node:fs'), async (original) => {
  const actual = await original();
  const writeFileSync: typeof actual.writeFileSync = (file, data, options) => {
    if ((options as { flush?: boolean } | undefined)?.flush) disk.flushed.add(String(file));
    actual.writeFileSync(file, data, options);
  };
  const named =
    (place: typeof actual.renameSync): typeof actual.renameSync =>
    (from, to) => {
      disk.named.push(String(from));
      place(from, to);
    };
  const [linkSync, renameSync] = [named(actual.linkSync), named(actual.renameSync)];
  return { ...actual, writeFileSync, linkSync, renameSync };
});

/** What a power cut, a full disk or a person may leave in place of a small file. */
const DAMAGED = {
  'an empty file': '',
  'a torn file': '{"schema_version":1,"pid":12',
  'zeroed blocks': '\0\0\0\0',
  'a list': '[]',
  null: 'null',
  'the file of something else': '{"name":"longrun"}',
};

test.each(Object.entries(DAMAGED))('a lock left as %s is free, and can be taken', async (_, content) => {
  const path = join(await temporaryFolder(), 'host');
  await writeFile(`${path}.lock.3`, content);
  expect(readLock(path)).toBeNull();
  expect(tryAcquire(path, { port: 1 })).toHaveProperty('release');
  expect(readLock(path)).toMatchObject({ held: true, info: { port: 1 } });
});

test('a lock of a newer longrun is left alone, and named', async () => {
  const path = join(await temporaryFolder(), 'host');
  await writeFile(`${path}.lock.3`, '{"schema_version":2,"owner":{"pid":1}}');
  const refusal = expect.objectContaining({
    code: 'record_newer',
    message: expect.stringContaining(`${path}.lock.3`),
  });
  expect(() => readLock(path)).toThrow(refusal);
  expect(() => tryAcquire(path, null)).toThrow(refusal);
});

test.each(Object.entries(DAMAGED))('clients of the server left as %s count as gone', async (_, content) => {
  const folder = await temporaryFolder();
  const leave = registerClient(folder);
  await writeFile(join(folder, 'damaged.json'), content);
  expect(countClients(folder)).toBe(1);
  leave();
  expect(await readdir(folder)).toEqual([]);
});

test('a state folder whose small files a power cut emptied is as one where nothing runs', async () => {
  const stateDir = await temporaryFolder();
  const { clients, serverLock } = serverFolder(stateDir);
  await mkdir(clients, { recursive: true });
  await mkdir(join(stateDir, 'hosts'));
  const files = [`${serverLock}.lock.1`, join(clients, 'one.json'), join(stateDir, 'host.lock.1')];
  for (const file of [...files, join(stateDir, 'hosts', 'other.lock.1')]) await writeFile(file, '');
  expect(serverStatus(stateDir)).toMatchObject({ running: false, clients: 0 });
  expect(livingHosts(stateDir)).toEqual([]);
});

test('locks and clients are on disk before they have their names', async () => {
  const folder = await temporaryFolder();
  disk.named.length = 0;
  const lock = tryAcquire(join(folder, 'host'), 'first');
  if ('heldBy' in lock) throw new Error('a new lock is held');
  lock.update('second');
  lock.release();
  registerClient(folder);
  expect(disk.named).toHaveLength(4);
  expect(disk.named.filter((file) => !disk.flushed.has(file))).toEqual([]);
});

test.each(['', '\n', '\0\0\0\0'])(
  'a host whose identity was lost (%j) gets a new one, and keeps it',
  async (lost) => {
    const stateDir = await temporaryFolder();
    await writeFile(join(stateDir, 'host-id'), lost);
    const found = await Promise.all(
      Array.from({ length: 8 }, (_, n) => hostIdentity(stateDir, () => `${n}${n}${n}${n}${n}${n}${n}${n}`)),
    );
    expect(new Set(found).size).toBe(1);
    expect(found[0]).toMatch(/-(\d)\1{7}$/);
    expect(await hostIdentity(stateDir, () => 'later-on')).toBe(found[0]);
  },
);

test('a host identity that is none is refused with the name of its file', async () => {
  const stateDir = await temporaryFolder();
  await writeFile(join(stateDir, 'host-id'), '<html>\n<p>hello</p>');
  await expect(hostIdentity(stateDir, () => '0123456789')).rejects.toMatchObject({
    code: 'record_invalid',
    message: expect.stringContaining(join(stateDir, 'host-id')),
    hint: expect.stringContaining('remove'),
  });
});
