import { describe, expect, test } from 'vitest';
import { NEVER, request, run, textOf } from '../conformance/kit.js';
import { docker, dockerKit } from './kit.js';

const kit = dockerKit();

describe('a container', () => {
  test('killed by an operator ended from outside, and its command is not waited for', async () => {
    const sandbox = await kit.fresh();
    const asked = request('sleep 60');
    const handle = await sandbox.createExec(asked);
    await sandbox.startExec(handle, asked);
    const waiting = sandbox.awaitExec(handle, asked, NEVER);
    waiting.catch(() => undefined);
    await docker('kill', sandbox.ref.id);
    await expect(waiting).rejects.toMatchObject({
      code: 'sandbox_gone',
      details: { ended: 'outside', oom_killed: false },
    });
    expect(await sandbox.state()).toEqual({ running: false, ended: 'outside', oomKilled: false });
    const adopted = await kit.makeDriver().adopt(sandbox.ref);
    expect((await adopted?.state())?.ended).toBe('outside');
    await sandbox.killExec(handle);
  });

  test('stopped by an operator ended from outside', async () => {
    const sandbox = await kit.fresh();
    await docker('stop', '--time', '0', sandbox.ref.id);
    expect((await sandbox.state()).ended).toBe('outside');
  });

  test('removed by an operator ended from outside', async () => {
    const sandbox = await kit.fresh();
    await docker('rm', '--force', sandbox.ref.id);
    expect(await sandbox.state()).toEqual({ running: false, ended: 'outside', oomKilled: false });
  });

  test('restarted by us runs, and has not ended', async () => {
    const sandbox = await kit.fresh();
    await sandbox.restart();
    expect(await sandbox.state()).toEqual({ running: true, ended: null, oomKilled: false });
  });

  test('cannot be ended from inside by any signal', async () => {
    const sandbox = await kit.fresh();
    await run(
      sandbox,
      'for s in 1 2 3 4 5 6 7 8 9 11 13 14 15 16 17 18 19 20 21 22 24 25 26 31 10 12; do kill -$s 1; done; sleep 0.1',
    );
    await run(sandbox, 'pkill -9 -P 1; kill -9 -1');
    expect(textOf(await run(sandbox, 'echo alive'))).toBe('alive\n');
    expect((await sandbox.state()).running).toBe(true);
  });

  test('without its programs answers, as the doing of the agent', async () => {
    const sandbox = await kit.fresh();
    await run(sandbox, 'rm -rf /bin/* /usr/bin/* /lib/* /usr/lib/* 2>/dev/null');
    const after = await run(sandbox, 'echo hello');
    expect(after.exitCode).toBe(126);
    expect((await sandbox.state()).running).toBe(true);
  });
});
