import { describe, expect, test } from 'vitest';
import type { SandboxProfile } from '../../../src/sandbox/sandbox.js';
import { eventually, NEVER, request, run, type SandboxKit, textOf } from './kit.js';

/** A script that prints how many `sleep <seconds>` live. */
const countOf = (seconds: string): string =>
  `n=0; for d in /proc/[0-9]*; do [ "$(tr '\\0' ' ' < $d/cmdline)" = "sleep ${seconds} " ] && n=$((n+1)); done 2>/dev/null; echo $n`;

/** Time limits, kills and background processes. */
export function processBehaviour(kit: SandboxKit, profile: SandboxProfile): void {
  describe('a time limit', () => {
    test('ends the command and says so, with the output until then', async () => {
      const result = await run(await kit.shared(), 'echo before; sleep 60; echo after', { timeoutMs: 700 });
      expect(result).toMatchObject({ timedOut: true, killed: false, exitCode: null, outcomeUnknown: false });
      if (profile.processes) expect(textOf(result)).toBe('before\n');
      expect(textOf(result)).not.toContain('after');
    });

    test('leaves the sandbox usable', async () => {
      const sandbox = await kit.shared();
      await run(sandbox, 'while :; do sleep 1; done', { timeoutMs: 300 });
      expect(textOf(await run(sandbox, 'echo fine'))).toBe('fine\n');
    });
  });

  if (!profile.processes) return;

  describe('processes', () => {
    test('of a command that ran out of time all die, deaf ones too', async () => {
      const sandbox = await kit.shared();
      const script = `sh -c 'trap "" TERM INT HUP; while :; do sleep 7101; done' & (sleep 7102 &) ; trap '' TERM; sleep 7103`;
      expect((await run(sandbox, script, { timeoutMs: 700 })).timedOut).toBe(true);
      for (const seconds of ['7101', '7102', '7103']) {
        expect(textOf(await run(sandbox, countOf(seconds)))).toBe('0\n');
      }
    });

    test('killed on request are gone, and the call says so', async () => {
      const sandbox = await kit.shared();
      const asked = request('echo started; sleep 7201 & sleep 7201');
      const handle = await sandbox.createExec(asked);
      await sandbox.startExec(handle, asked);
      const ended = sandbox.awaitExec(handle, asked, NEVER);
      await eventually(async () => textOf(await run(sandbox, countOf('7201'))) === '2\n');
      await sandbox.killExec(handle);
      const result = await ended;
      expect(result).toMatchObject({ killed: true, timedOut: false, exitCode: null });
      expect(textOf(result)).toBe('started\n');
      expect(textOf(await run(sandbox, countOf('7201')))).toBe('0\n');
    });

    test('may be killed again when they have ended', async () => {
      const sandbox = await kit.shared();
      const asked = request('sleep 7301 & echo over');
      const handle = await sandbox.createExec(asked);
      await sandbox.startExec(handle, asked);
      expect((await sandbox.awaitExec(handle, asked, NEVER)).exitCode).toBe(0);
      await sandbox.killExec(handle);
      await sandbox.killExec(handle);
      expect(textOf(await run(sandbox, 'echo fine'))).toBe('fine\n');
    });

    test('in the background outlive their call, which ends with its main process', async () => {
      const sandbox = await kit.shared();
      // Looked for once it is what it is to be: a process that has only just been forked is still a shell.
      const begun = 'until grep -q 7401 /proc/$!/cmdline; do :; done';
      const result = await run(sandbox, `sleep 7401 & ${begun}; echo main`, { timeoutMs: 20_000 });
      expect(result).toMatchObject({ exitCode: 0, timedOut: false });
      expect(textOf(result)).toBe('main\n');
      expect(textOf(await run(sandbox, countOf('7401')))).toBe('1\n');
    });

    test('properly daemonised outlive the time limit of the call that started them', async () => {
      const sandbox = await kit.shared();
      const result = await run(sandbox, 'setsid sleep 7501 >/dev/null 2>&1 & sleep 7502', { timeoutMs: 700 });
      expect(result.timedOut).toBe(true);
      expect(textOf(await run(sandbox, `${countOf('7501')}; ${countOf('7502')}`))).toBe('1\n0\n');
    });

    test('that put themselves into another group of the session die with the call', async () => {
      const sandbox = await kit.shared();
      const script = `perl -e 'setpgrp(0,0); exec "sleep","7601"' & sleep 7602`;
      expect((await run(sandbox, script, { timeoutMs: 900 })).timedOut).toBe(true);
      expect(textOf(await run(sandbox, `${countOf('7601')}; ${countOf('7602')}`))).toBe('0\n0\n');
    });

    test('that a command kills all at once do not end the sandbox', async () => {
      const sandbox = await kit.fresh();
      await run(sandbox, 'echo kept > /tmp/kept');
      const result = await run(sandbox, 'echo going; (kill -9 -1); sleep 5; echo survived');
      expect(result.exitCode).not.toBe(0);
      expect(result.timedOut).toBe(false);
      expect(textOf(await run(sandbox, 'cat /tmp/kept'))).toBe('kept\n');
      expect((await sandbox.state()).running).toBe(true);
    });

    test('that lost their parent are reaped', async () => {
      const sandbox = await kit.fresh();
      await run(sandbox, 'for i in 1 2 3 4 5; do (sleep 0.2 &); done; sleep 0.5');
      const zombies = `n=0; for d in /proc/[0-9]*; do read -r l < $d/stat || continue; case "\${l##*) }" in Z*) n=$((n+1));; esac; done 2>/dev/null; echo $n`;
      expect(await eventually(async () => textOf(await run(sandbox, zombies)) === '0\n')).toBe(true);
    });
  });
}
