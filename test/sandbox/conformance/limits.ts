import { describe, expect, test } from 'vitest';
import type { SandboxProfile } from '../../../src/sandbox/sandbox.js';
import { eventually, run, type SandboxKit, textOf } from './kit.js';

/** What a sandbox may not use or reach. */
export function limitsAndIsolation(kit: SandboxKit, profile: SandboxProfile): void {
  if (!profile.processes) return;

  describe('isolation', () => {
    test('without network leaves the loopback device and no other', async () => {
      const result = await run(await kit.shared(), 'tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d " "');
      expect(textOf(result)).toBe('lo\n');
    });

    if (profile.networkPublic) {
      test('with the public network has a device to reach it by', async () => {
        const sandbox = await kit.fresh({ network: 'public' });
        const result = await run(
          sandbox,
          'tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d " " | grep -vc "^lo$"',
        );
        expect(textOf(result)).toBe('1\n');
      });
    }

    test('gives no privilege by a setuid program, and no raw devices', async () => {
      const status = await run(await kit.shared(), 'grep NoNewPrivs /proc/self/status; mknod /tmp/dev c 1 3');
      expect(textOf(status)).toMatch(/NoNewPrivs:\s*1/);
      expect(status.exitCode).not.toBe(0);
    });

    test('shows no process of the host', async () => {
      const result = await run(await kit.shared(), 'for d in /proc/[0-9]*; do echo; done | wc -l');
      expect(Number(textOf(result))).toBeLessThan(60);
    });
  });

  describe('limits', () => {
    if (profile.memoryLimit) {
      test('of memory kill the command that exceeds them, not the sandbox', async () => {
        const sandbox = await kit.fresh({ memoryMb: 64 });
        const result = await run(sandbox, 'dd if=/dev/zero of=/dev/null bs=400M count=1');
        expect(result.exitCode).not.toBe(0);
        expect(await eventually(async () => (await sandbox.state()).oomKilled)).toBe(true);
        expect((await sandbox.state()).running).toBe(true);
        expect(textOf(await run(sandbox, 'echo alive'))).toBe('alive\n');
      });
    }

    if (profile.processLimit) {
      test('of processes contain a fork bomb, and the sandbox answers afterwards', async () => {
        const sandbox = await kit.fresh();
        const bomb = 'bomb() { while :; do sleep 30 & done; }; trap "" TERM; bomb';
        const result = await run(sandbox, bomb, { timeoutMs: 4_000 });
        expect(result.timedOut || result.exitCode !== 0).toBe(true);
        expect(await eventually(async () => textOf(await run(sandbox, 'echo alive')) === 'alive\n')).toBe(
          true,
        );
      });
    }

    test('of the disk are kept where they are promised', async () => {
      if (!kit.driver.profile.diskLimit) return expect(kit.driver.profile.diskLimit).toBe(false);
      const sandbox = await kit.fresh({ storageMb: 64 });
      const result = await run(sandbox, 'head -c 200000000 /dev/zero > /big');
      expect(result.exitCode).not.toBe(0);
    });

    test('of processors let work go on', async () => {
      const sandbox = await kit.fresh({ cpus: 0.5 });
      expect(textOf(await run(sandbox, 'echo $((6*7))'))).toBe('42\n');
    });
  });
}
