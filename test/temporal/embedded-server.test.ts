import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { identifyProcess } from '../../src/machine/process-identity.js';
import {
  type AttachedServer,
  attachServer,
  serverStatus,
  stopServer,
} from '../../src/temporal/embedded-server.js';
import { startChild } from '../support/child.js';
import { temporaryFolder, temporaryStateDir } from '../support/state.js';

const CHILD = new URL('./children/use-server.ts', import.meta.url);
const alive = (pid: number): boolean => identifyProcess(pid) !== null;

/** A state folder whose server is stopped before the folder goes. */
async function stateDirWithServer(): Promise<string> {
  const stateDir = await temporaryStateDir();
  onTestFinished(async () => void (await stopServer(stateDir)));
  return stateDir;
}

async function startWorkflow(server: AttachedServer, workflowId: string): Promise<void> {
  const connection = await Connection.connect({ address: server.address });
  await new Client({ connection }).workflow.start('nothing', { workflowId, taskQueue: 'nobody' });
  await connection.close();
}

async function isRunning(server: AttachedServer, workflowId: string): Promise<boolean> {
  const connection = await Connection.connect({ address: server.address });
  const { status } = await new Client({ connection }).workflow.getHandle(workflowId).describe();
  await connection.close();
  return status.name === 'RUNNING';
}

test('the first to attach starts the server, the last one out stops it, and its database stays', async () => {
  const stateDir = await stateDirWithServer();
  const first = await attachServer({ stateDir });
  const second = await attachServer({ stateDir });
  expect([first.started, second.started]).toEqual([true, false]);
  expect(second.address).toBe(first.address);
  expect(serverStatus(stateDir)).toMatchObject({ running: true, clients: 2, address: first.address });

  await first.detach();
  expect(alive(second.pid)).toBe(true);
  await second.detach();
  expect(alive(second.pid)).toBe(false);
  expect(serverStatus(stateDir)).toMatchObject({
    running: false,
    clients: 0,
    databases: [`temporal-${first.serverVersion}.db`],
  });
});

test('what the server keeps is readable by its owner only', async () => {
  const stateDir = await stateDirWithServer();
  const server = await attachServer({ stateDir });
  expect((await stat(join(stateDir, 'temporal'))).mode & 0o777).toBe(0o700);
  await server.detach();
});

test('two processes that start at once share one server', async () => {
  const stateDir = await stateDirWithServer();
  const leave = join(await temporaryFolder(), 'leave');
  const children = [startChild(CHILD, [stateDir, leave]), startChild(CHILD, [stateDir, leave])];
  const lines = await Promise.all(children.map((child) => child.line()));
  const [[pid, address], [otherPid, otherAddress]] = lines.map((line) => line.split(' ')) as string[][] as [
    string[],
    string[],
  ];
  expect([otherPid, otherAddress]).toEqual([pid, address]);
  expect(lines.map((line) => line.split(' ')[2]).sort()).toEqual(['found', 'started']);
  await writeFile(leave, '');
  expect(await Promise.all(children.map((child) => child.line()))).toEqual(['left', 'left']);
  expect(alive(Number(pid))).toBe(false);
});

test('a server whose clients were all killed is adopted', async () => {
  const stateDir = await stateDirWithServer();
  const child = startChild(CHILD, [stateDir, join(stateDir, 'never')]);
  const pid = Number((await child.line()).split(' ')[0]);
  await child.kill();
  expect(serverStatus(stateDir)).toMatchObject({ running: true, clients: 0 });
  const server = await attachServer({ stateDir });
  expect(server).toMatchObject({ pid, started: false });
  await server.detach();
  expect(alive(pid)).toBe(false);
});

test('a server that no lock names is found by its database instead of being doubled', async () => {
  const stateDir = await stateDirWithServer();
  const child = startChild(CHILD, [stateDir, join(stateDir, 'never')]);
  const pid = Number((await child.line()).split(' ')[0]);
  await child.kill();
  for (const file of await readdir(join(stateDir, 'temporal'))) {
    if (file.includes('.lock.')) await rm(join(stateDir, 'temporal', file));
  }
  const server = await attachServer({ stateDir });
  expect(server).toMatchObject({ pid, started: false });
  await server.detach();
  expect(alive(pid)).toBe(false);
});

test('a killed server comes back by itself with everything it knew', async () => {
  const stateDir = await stateDirWithServer();
  const server = await attachServer({ stateDir });
  await startWorkflow(server, 'kept');
  process.kill(server.pid, 'SIGKILL');
  await vi.waitFor(
    () => {
      const status = serverStatus(stateDir);
      expect(status).toMatchObject({ running: true, address: server.address });
      expect(status.pid).not.toBe(server.pid);
    },
    { timeout: 30_000, interval: 100 },
  );
  await vi.waitFor(async () => expect(await isRunning(server, 'kept')).toBe(true), { timeout: 30_000 });
  await server.detach();
  expect(serverStatus(stateDir).running).toBe(false);
});

test('a server that was killed together with its clients starts again on the same database', async () => {
  const stateDir = await stateDirWithServer();
  const child = startChild(CHILD, [stateDir, join(stateDir, 'never')]);
  const [pid = '', address = ''] = (await child.line()).split(' ');
  await startWorkflow({ address } as AttachedServer, 'kept');
  // The client first: it would start the server again.
  await child.kill();
  process.kill(Number(pid), 'SIGKILL');
  const server = await attachServer({ stateDir });
  expect(server).toMatchObject({ started: true, address });
  expect(await isRunning(server, 'kept')).toBe(true);
  await server.detach();
});

test('a port that somebody else has taken meanwhile means another port', async () => {
  const stateDir = await stateDirWithServer();
  const before = await attachServer({ stateDir });
  await before.detach();
  const thief = createServer().listen(Number(before.address.split(':')[1]), '127.0.0.1');
  onTestFinished(() => void thief.close());
  const after = await attachServer({ stateDir });
  expect(after.started).toBe(true);
  expect(after.address).not.toBe(before.address);
  await after.detach();
});

test('a server is stopped whoever uses it, and a second time there is none to stop', async () => {
  const stateDir = await stateDirWithServer();
  const server = await attachServer({ stateDir });
  expect(await stopServer(stateDir)).toBe(true);
  expect(alive(server.pid)).toBe(false);
  expect(await stopServer(stateDir)).toBe(false);
  await server.detach();
});

test('a server that was stopped on purpose stays down although somebody is attached', async () => {
  const stateDir = await stateDirWithServer();
  const lines: string[] = [];
  const server = await attachServer({ stateDir, log: (line) => lines.push(line) });
  await stopServer(stateDir);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(serverStatus(stateDir).running).toBe(false);
  expect(lines).toHaveLength(1);
  await server.detach();
});

test('a server that cannot start says why, with the last lines of its log', async () => {
  const stateDir = await stateDirWithServer();
  const script = join(await temporaryFolder(), 'temporal');
  await writeFile(
    script,
    '#!/bin/sh\n[ "$1" = --version ] && echo "temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)" && exit 0\necho "disk I/O error: no space left" >&2\nexit 1\n',
    { mode: 0o755 },
  );
  vi.stubEnv('LONGRUN_TEMPORAL_BINARY', script);
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(attachServer({ stateDir })).rejects.toMatchObject({
    code: 'temporal_unreachable',
    message: expect.stringContaining('no space left'),
  });
});
