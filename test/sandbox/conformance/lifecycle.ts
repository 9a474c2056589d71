import { describe, expect, test } from 'vitest';
import type { SandboxProfile } from '../../../src/sandbox/sandbox.js';
import { NEVER, run, type SandboxKit, textOf } from './kit.js';

/** Creation, restart, removal, listing. */
export function lifecycleBehaviour(kit: SandboxKit, profile: SandboxProfile): void {
  describe('a sandbox', () => {
    test('starts with the environment and the working directory of its task', async () => {
      const sandbox = await kit.fresh({ env: { FROM_TASK: 'yes ü' }, workdir: '/workspace/deep' });
      expect(textOf(await run(sandbox, 'echo "$FROM_TASK"; pwd'))).toBe('yes ü\n/workspace/deep\n');
      const overridden = await run(sandbox, 'echo "$FROM_TASK"', { env: { FROM_TASK: 'mine' } });
      expect(textOf(overridden)).toBe('mine\n');
    });

    test('keeps files from one command to the next and apart from other sandboxes', async () => {
      const [one, two] = await Promise.all([kit.fresh(), kit.fresh()]);
      await run(one, 'echo secret > /tmp/mine');
      expect(textOf(await run(one, 'cat /tmp/mine'))).toBe('secret\n');
      expect((await run(two, 'test -e /tmp/mine')).exitCode).toBe(1);
    });

    test('runs, and says so', async () => {
      expect(await (await kit.shared()).state()).toEqual({ running: true, ended: null, oomKilled: false });
    });

    test('restarted keeps its files and can be used again', async () => {
      const sandbox = await kit.fresh({ env: { KEPT: 'env' }, workdir: '/job' });
      await run(sandbox, 'echo file > /job/kept');
      await sandbox.restart();
      expect(textOf(await run(sandbox, 'cat kept; echo "$KEPT"'))).toBe('file\nenv\n');
      expect((await sandbox.state()).running).toBe(true);
    });

    if (profile.processes) {
      test('restarted has none of its daemons left', async () => {
        const sandbox = await kit.fresh();
        await run(sandbox, 'setsid sleep 8101 >/dev/null 2>&1 & sleep 0.2');
        await sandbox.restart();
        const count =
          'n=0; for d in /proc/[0-9]*; do grep -qs 8101 $d/cmdline && [ $d != /proc/$$ ] && n=$((n+1)); done; echo $n';
        expect(textOf(await run(sandbox, `${count.replaceAll('8101', '"81"01')}`))).toBe('0\n');
      });
    }

    test('destroyed is gone, and may be destroyed again', async () => {
      const sandbox = await kit.fresh({}, { runId: 'run-destroyed' });
      await sandbox.destroy();
      await sandbox.destroy();
      const left = await kit.driver.list(kit.clusterId);
      expect(left.filter((info) => info.ref.id === sandbox.ref.id)).toEqual([]);
      expect(await kit.driver.adopt(sandbox.ref)).toBeNull();
    });

    test('is adopted by its reference', async () => {
      const sandbox = await kit.fresh();
      await run(sandbox, 'echo here > /tmp/here');
      const adopted = await kit.driver.adopt(JSON.parse(JSON.stringify(sandbox.ref)));
      expect(adopted?.ref).toEqual(sandbox.ref);
      if (adopted !== null) expect(textOf(await run(adopted, 'cat /tmp/here'))).toBe('here\n');
    });

    test('of another kind is not adopted', async () => {
      const sandbox = await kit.shared();
      expect(await kit.driver.adopt({ ...sandbox.ref, driver: 'another' })).toBeNull();
      expect(await kit.driver.adopt({ ...sandbox.ref, id: 'f'.repeat(64) })).toBeNull();
    });

    test('is not made when its creation is cancelled first', async () => {
      const controller = new AbortController();
      controller.abort();
      const owner = kit.owner({ runId: 'run-cancelled' });
      const spec = {
        image: kit.source,
        cpus: null,
        memoryMb: null,
        storageMb: null,
        network: 'none' as const,
        env: {},
        workdir: null,
        healthcheck: null,
      };
      const image = await kit.driver.prepareImage(kit.source, () => Promise.reject(new Error('none')), NEVER);
      await expect(kit.driver.create({ image, spec, owner }, controller.signal)).rejects.toMatchObject({
        code: 'cancelled',
      });
      const listed = await kit.driver.list(kit.clusterId);
      expect(listed.filter((info) => info.owner.runId === 'run-cancelled')).toEqual([]);
    });
  });

  describe('the list', () => {
    test('names each sandbox with its whole owner', async () => {
      const owner = {
        runId: 'run-listed',
        taskId: 'a'.repeat(90),
        sample: 7,
        attempt: 3,
        role: 'verifier' as const,
      };
      const sandbox = await kit.fresh({}, owner);
      const listed = (await kit.driver.list(kit.clusterId)).find((info) => info.ref.id === sandbox.ref.id);
      expect(listed?.owner).toEqual(kit.owner(owner));
      expect(listed?.running).toBe(true);
      expect(Math.abs((listed?.createdAtMs ?? 0) - Date.now())).toBeLessThan(60_000);
    });

    test('of one installation holds nothing of another', async () => {
      const other = `${kit.clusterId}-other`;
      const [mine, theirs] = await Promise.all([kit.fresh(), kit.fresh({}, { clusterId: other })]);
      const ids = async (cluster: string) => (await kit.driver.list(cluster)).map((info) => info.ref.id);
      expect(await ids(kit.clusterId)).toContain(mine.ref.id);
      expect(await ids(kit.clusterId)).not.toContain(theirs.ref.id);
      expect(await ids(other)).toEqual([theirs.ref.id]);
    });
  });
}
