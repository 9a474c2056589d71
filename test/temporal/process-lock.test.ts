import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { identifyProcess, ownIdentity } from '../../src/machine/process-identity.js';
import { type LockState, type ProcessLock, readLock, tryAcquire } from '../../src/machine/process-lock.js';
import { startChild } from '../support/child.js';
import { temporaryFolder } from '../support/state.js';

const CHILD = new URL('./children/take-lock.ts', import.meta.url);

function taken<Info>(lock: ProcessLock<Info> | { heldBy: LockState<Info> }): ProcessLock<Info> {
  if ('heldBy' in lock) throw new Error(`held by ${lock.heldBy.holder.pid}`);
  return lock;
}

test('a lock that is held is refused, with what its holder says of itself', async () => {
  const path = join(await temporaryFolder(), 'host');
  taken(tryAcquire(path, { port: 1 })).update({ port: 2 });
  expect(tryAcquire(path, { port: 3 })).toMatchObject({
    heldBy: { holder: ownIdentity(), info: { port: 2 }, held: true },
  });
});

test('a released lock can be taken again and still says who had it', async () => {
  const path = join(await temporaryFolder(), 'host');
  taken(tryAcquire(path, { port: 1 })).release();
  expect(readLock(path)).toMatchObject({ held: false, released: true, info: { port: 1 } });
  taken(tryAcquire(path, { port: 2 }));
  expect(readLock(path)).toMatchObject({ held: true, info: { port: 2 } });
});

test('a lock that nobody ever took reads as none', async () => {
  expect(readLock(join(await temporaryFolder(), 'host'))).toBeNull();
});

test('a lock ends with the process that held it', async () => {
  const path = join(await temporaryFolder(), 'host');
  const child = startChild(CHILD, [path]);
  expect(await child.line()).toBe('ready');
  expect(await child.line()).toBe('taken');
  expect(tryAcquire(path, null)).toMatchObject({ heldBy: { holder: { pid: child.pid } } });
  await child.kill();
  expect(readLock(path)).toMatchObject({ held: false, released: false });
  taken(tryAcquire(path, null));
});

test('a lock can be passed on to the life of another process', async () => {
  const folder = await temporaryFolder();
  const child = startChild(CHILD, [join(folder, 'other')]);
  await child.line();
  const path = join(folder, 'server');
  const identity = identifyProcess(child.pid);
  taken(tryAcquire(path, 'starting')).update('running', identity ?? undefined);
  expect(readLock(path)).toMatchObject({ held: true, info: 'running', holder: { pid: child.pid } });
  await child.kill();
  expect(readLock(path)).toMatchObject({ held: false });
});

test('a process that took over the pid of a dead holder does not hold its lock', async () => {
  const path = join(await temporaryFolder(), 'host');
  taken(tryAcquire(path, null, { pid: process.pid, startedAt: 'long ago' }));
  taken(tryAcquire(path, null));
});

test('of many processes that race for a stale lock exactly one gets it', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'host');
  taken(tryAcquire(path, null, { pid: process.pid, startedAt: 'long ago' }));
  const children = Array.from({ length: 8 }, () => startChild(CHILD, [path, join(folder, 'go')]));
  await Promise.all(children.map((child) => child.line()));
  await writeFile(join(folder, 'go'), '');
  const answers = await Promise.all(children.map((child) => child.line()));
  const winner = children[answers.indexOf('taken')];
  expect(answers.filter((answer) => answer === 'taken')).toHaveLength(1);
  expect(answers.filter((answer) => answer === `refused by ${winner?.pid}`)).toHaveLength(7);
});

test('taking a lock over and over leaves one file', async () => {
  const folder = await temporaryFolder();
  for (let i = 0; i < 20; i++) taken(tryAcquire(join(folder, 'host'), i)).release();
  expect(await readdir(folder)).toEqual(['host.lock.20']);
});
