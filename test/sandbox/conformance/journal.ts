import { describe, expect, test } from 'vitest';
import type { SandboxProfile } from '../../../src/sandbox/sandbox.js';
import { eventually, NEVER, request, run, type SandboxKit, textOf } from './kit.js';

/** The exec object: made, noted, started once, found again. */
export function executionJournal(kit: SandboxKit, profile: SandboxProfile): void {
  describe('the exec object', () => {
    test('does nothing until it is started', async () => {
      const sandbox = await kit.shared();
      await sandbox.createExec(request('echo ran > /tmp/ran-early'));
      expect((await run(sandbox, 'test -e /tmp/ran-early')).exitCode).toBe(1);
    });

    test('is started once, whoever asks', async () => {
      const sandbox = await kit.shared();
      const asked = request('echo run >> /tmp/runs; sleep 0.3');
      const handle = await sandbox.createExec(asked);
      await sandbox.startExec(handle, asked);
      await expect(sandbox.startExec(handle, asked)).rejects.toMatchObject({ code: 'exec_already_started' });
      expect((await sandbox.awaitExec(handle, asked, NEVER)).exitCode).toBe(0);
      await expect(sandbox.startExec(handle, asked)).rejects.toMatchObject({ code: 'exec_already_started' });
      expect(textOf(await run(sandbox, 'cat /tmp/runs; rm /tmp/runs'))).toBe('run\n');
    });

    test('says whether it was ever started', async () => {
      const sandbox = await kit.shared();
      const asked = request('true');
      const handle = await sandbox.createExec(asked);
      expect(await sandbox.execStarted(handle)).toBe(false);
      await sandbox.startExec(handle, asked);
      expect(await sandbox.execStarted(handle)).toBe(true);
      await sandbox.awaitExec(handle, asked, NEVER);
      expect(await sandbox.execStarted(handle)).toBe(true);
    });

    test('is plain JSON', async () => {
      const sandbox = await kit.shared();
      const handle = await sandbox.createExec(request('true'));
      expect(JSON.parse(JSON.stringify(handle))).toEqual(handle);
    });

    test('runs on when the one who waits goes away', async () => {
      const sandbox = await kit.shared();
      const asked = request('sleep 0.5; echo finished > /tmp/finished');
      const handle = await sandbox.createExec(asked);
      await sandbox.startExec(handle, asked);
      const controller = new AbortController();
      const waiting = sandbox.awaitExec(handle, asked, controller.signal);
      controller.abort();
      await expect(waiting).rejects.toBeDefined();
      expect((await sandbox.awaitExec(handle, asked, NEVER)).exitCode).toBe(0);
      expect(textOf(await run(sandbox, 'cat /tmp/finished'))).toBe('finished\n');
    });

    test('of a sandbox that is gone answers `sandbox_gone` and does not hang', async () => {
      const sandbox = await kit.fresh();
      const asked = request('sleep 60');
      const handle = await sandbox.createExec(asked);
      await sandbox.startExec(handle, asked);
      const waiting = sandbox.awaitExec(handle, asked, NEVER);
      waiting.catch(() => undefined);
      await sandbox.destroy();
      await expect(waiting).rejects.toMatchObject({ code: 'sandbox_gone' });
      await expect(run(sandbox, 'true')).rejects.toMatchObject({ code: 'sandbox_gone' });
    });
  });

  if (profile.adoption) adoptedCommands(kit);
  else notAdopted(kit);
}

function notAdopted(kit: SandboxKit): void {
  test('a sandbox of another process cannot be adopted: it is gone', async () => {
    const sandbox = await kit.fresh();
    const other = kit.makeDriver();
    expect(await other.adopt(sandbox.ref)).toBeNull();
    await other.close();
  });
}

function adoptedCommands(kit: SandboxKit): void {
  describe('a later process', () => {
    const adopt = async (ref: { driver: string; id: string }) => {
      const sandbox = await kit.makeDriver().adopt(ref);
      if (sandbox === null) throw new Error('the sandbox was not found');
      return sandbox;
    };

    test('awaits a command that an earlier one started, and gets status and output', async () => {
      const sandbox = await kit.fresh();
      const asked = request('printf "early\\n"; sleep 1; printf "late \\377"; exit 5');
      const handle = await sandbox.createExec(asked);
      await sandbox.startExec(handle, asked);
      const result = await (await adopt(sandbox.ref)).awaitExec(handle, asked, NEVER);
      expect(result).toMatchObject({ exitCode: 5, timedOut: false, killed: false, outcomeUnknown: false });
      expect(Buffer.from(result.output.head).toString('latin1')).toBe('early\nlate \xff');
      expect(result.durationMs).toBeGreaterThanOrEqual(900);
    });

    test('gets the same of one that ended meanwhile, bounded alike', async () => {
      const sandbox = await kit.fresh();
      const asked = request('i=0; while [ $i -lt 900 ]; do echo "line $i"; i=$((i+1)); done; exit 9', {
        outputLimitBytes: 400,
      });
      const handle = await sandbox.createExec(asked);
      await sandbox.startExec(handle, asked);
      const first = await sandbox.awaitExec(handle, asked, NEVER);
      const second = await (await adopt(sandbox.ref)).awaitExec(handle, asked, NEVER);
      expect(second.exitCode).toBe(9);
      expect(second.output.omittedBytes).toBe(first.output.omittedBytes);
      expect(textOf(second)).toBe(textOf(first));
    });

    test('holds a command to its time limit, counted from its start', async () => {
      const sandbox = await kit.fresh();
      const asked = request('echo begun; sleep 60', { timeoutMs: 1500 });
      const handle = await sandbox.createExec(asked);
      await sandbox.startExec(handle, asked);
      const result = await (await adopt(sandbox.ref)).awaitExec(handle, asked, NEVER);
      expect(result).toMatchObject({ timedOut: true, exitCode: null });
      expect(textOf(result)).toBe('begun\n');
    });

    test('cannot start a command again', async () => {
      const sandbox = await kit.fresh();
      const asked = request('echo run >> /tmp/runs; sleep 0.2');
      const handle = await sandbox.createExec(asked);
      await sandbox.startExec(handle, asked);
      const other = await adopt(sandbox.ref);
      await expect(other.startExec(handle, asked)).rejects.toMatchObject({ code: 'exec_already_started' });
      await other.awaitExec(handle, asked, NEVER);
      expect(textOf(await run(other, 'cat /tmp/runs'))).toBe('run\n');
    });

    test('kills a command that an earlier one started', async () => {
      const sandbox = await kit.fresh();
      const asked = request('echo on; sleep 60');
      const handle = await sandbox.createExec(asked);
      await sandbox.startExec(handle, asked);
      const other = await adopt(sandbox.ref);
      await other.killExec(handle);
      expect(await other.awaitExec(handle, asked, NEVER)).toMatchObject({ killed: true, exitCode: null });
    });

    test('starts a command that an earlier one made and never started', async () => {
      const sandbox = await kit.fresh();
      const asked = request('cat', { stdin: Buffer.from('passed on') });
      const handle = await sandbox.createExec(asked);
      const other = await adopt(sandbox.ref);
      await other.startExec(handle, asked);
      expect(textOf(await other.awaitExec(handle, asked, NEVER))).toBe('passed on');
    });

    test('is told that a sandbox is gone', async () => {
      const sandbox = await kit.fresh();
      await sandbox.destroy();
      expect(await kit.makeDriver().adopt(sandbox.ref)).toBeNull();
    });

    test('never repeats a command whose traces are lost: its outcome is unknown', async () => {
      const sandbox = await kit.fresh();
      const asked = request('true');
      const known = await sandbox.createExec(asked);
      const forgotten = { execId: known.execId.replace(/[0-9a-f]{8}/g, '0badcafe') };
      const other = await adopt(sandbox.ref);
      const result = await other.awaitExec(forgotten, asked, NEVER);
      expect(result).toMatchObject({ outcomeUnknown: true, exitCode: null });
    });

    test('sees the work that went on meanwhile', async () => {
      const sandbox = await kit.fresh();
      const asked = request('(sleep 0.4; echo done > /tmp/meanwhile) & echo main');
      const handle = await sandbox.createExec(asked);
      await sandbox.startExec(handle, asked);
      const other = await adopt(sandbox.ref);
      expect(await eventually(async () => textOf(await run(other, 'cat /tmp/meanwhile')) === 'done\n')).toBe(
        true,
      );
    });
  });
}
