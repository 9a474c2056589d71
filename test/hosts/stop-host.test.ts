import { spawn } from 'node:child_process';
import { expect, onTestFinished, test, vi } from 'vitest';
import { takeDown } from '../../src/hosts/stop-host.js';
import { lockHost } from '../../src/machine/host-lock.js';
import { identifyProcess, type ProcessIdentity } from '../../src/machine/process-identity.js';
import { stopProcess } from '../../src/temporal/server-process.js';
import { temporaryFolder } from '../support/state.js';

const INFO = { cluster: '', role: 'all', supervised: false } as const;

/** A process that lives until it is killed. */
function startProcess(): ProcessIdentity {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const identity = identifyProcess(child.pid ?? 0);
  if (identity === null) throw new Error('sleep did not start');
  return identity;
}

/** A state folder whose host that process is. */
async function folderOf(holder: ProcessIdentity): Promise<string> {
  const stateDir = await temporaryFolder();
  lockHost(stateDir, null, INFO).update(INFO, holder);
  return stateDir;
}

/** Every process ends by itself just before it gets its signal. */
function endBeforeSignals(): void {
  const kill = process.kill.bind(process);
  const spy = vi.spyOn(process, 'kill').mockImplementation((pid) => {
    kill(pid, 'SIGKILL');
    throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH' });
  });
  onTestFinished(() => spy.mockRestore());
}

test('a worker that leaves by itself just as it is told to is taken down all the same', async () => {
  const stateDir = await folderOf(startProcess());
  endBeforeSignals();
  expect(await takeDown(stateDir, () => undefined)).toEqual({ worker: true, server: false });
});

test('a server that ends just as it is told to counts as stopped', async () => {
  const identity = startProcess();
  endBeforeSignals();
  await expect(stopProcess(identity)).resolves.toBeUndefined();
});

test('a worker of another user is named, with what to do about it', async () => {
  const holder = startProcess();
  const stateDir = await folderOf(holder);
  const spy = vi.spyOn(process, 'kill').mockImplementation(() => {
    throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
  });
  onTestFinished(() => spy.mockRestore());
  await expect(takeDown(stateDir, () => undefined)).rejects.toMatchObject({
    message: expect.stringContaining(`${holder.pid}`),
    hint: expect.stringContaining('user'),
  });
});
