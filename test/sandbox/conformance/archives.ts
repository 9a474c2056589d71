import { describe, expect, test } from 'vitest';
import type { SandboxProfile } from '../../../src/sandbox/sandbox.js';
import { run, type SandboxKit, textOf } from './kit.js';
import { type Entry, tarOf, untar } from './tar.js';

/** Files into and out of a sandbox. */
export function archiveBehaviour(kit: SandboxKit, profile: SandboxProfile): void {
  describe('an archive', () => {
    test('goes in and comes out with contents, modes and links', async () => {
      const sandbox = await kit.shared();
      const binary = Buffer.from([0, 255, 10, 13, 0]);
      await sandbox.putArchive(
        '/tmp/round/trip',
        await tarOf([
          { name: 'sub/', type: 'directory', mode: 0o750 },
          { name: 'sub/run.sh', data: '#!/bin/sh\necho hi\n', mode: 0o755 },
          { name: 'data ü.bin', data: binary, mode: 0o600 },
          { name: 'link', type: 'symlink', linkname: 'sub/run.sh' },
        ]),
      );
      expect(textOf(await run(sandbox, '/tmp/round/trip/link'))).toBe('hi\n');
      const back = await untar((await sandbox.getArchive('/tmp/round/trip', 1_000_000)) as Uint8Array);
      expect(back.get('trip/sub/run.sh')).toMatchObject({ type: 'file', mode: 0o755 });
      expect(back.get('trip/data ü.bin')).toMatchObject({ type: 'file', mode: 0o600, data: binary });
      expect(back.get('trip/link')).toMatchObject({ type: 'symlink', linkname: 'sub/run.sh' });
    });

    test('keeps what was in its directory', async () => {
      const sandbox = await kit.shared();
      await run(sandbox, 'mkdir -p /tmp/kept && echo old > /tmp/kept/old');
      await sandbox.putArchive('/tmp/kept', await tarOf([{ name: 'new', data: 'new\n' }]));
      expect(textOf(await run(sandbox, 'cat /tmp/kept/old /tmp/kept/new'))).toBe('old\nnew\n');
    });

    test('of one file comes out under its last name', async () => {
      const sandbox = await kit.shared();
      await run(sandbox, 'printf content > /tmp/one.txt');
      const back = await untar((await sandbox.getArchive('/tmp/one.txt', 100_000)) as Uint8Array);
      expect([...back.keys()]).toEqual(['one.txt']);
      expect(back.get('one.txt')?.data.toString()).toBe('content');
    });

    test('may be large, and empty files may be in it', async () => {
      const sandbox = await kit.shared();
      const data = Buffer.alloc(3_000_000, 'longrun ');
      await sandbox.putArchive(
        '/tmp/large',
        await tarOf([
          { name: 'big', data },
          { name: 'empty', data: '' },
        ]),
      );
      expect(
        textOf(await run(sandbox, 'wc -c < /tmp/large/big; wc -c < /tmp/large/empty; rm -r /tmp/large')),
      ).toBe('3000000\n0\n');
    });

    test('of nothing is null', async () => {
      expect(await (await kit.shared()).getArchive('/no/such/path', 1000)).toBeNull();
    });

    test('larger than asked for is refused', async () => {
      const sandbox = await kit.shared();
      await run(sandbox, 'head -c 300000 /dev/zero > /tmp/too-large');
      await expect(sandbox.getArchive('/tmp/too-large', 100_000)).rejects.toMatchObject({
        code: 'archive_refused',
      });
    });

    const hostile: Array<[string, Entry[]]> = [
      ['climbs out with ..', [{ name: '../escaped', data: 'x' }]],
      ['climbs out from within', [{ name: 'a/../../escaped', data: 'x' }]],
      ['names an absolute path', [{ name: '/tmp/escaped', data: 'x' }]],
      ['holds a device', [{ name: 'null', type: 'character-device' }]],
      ['holds a fifo', [{ name: 'pipe', type: 'fifo' }]],
      ['links hard to the outside', [{ name: 'hard', type: 'link', linkname: '../../etc/passwd' }]],
      [
        'writes through its own link',
        [
          { name: 'out', type: 'symlink', linkname: '/tmp' },
          { name: 'out/escaped', data: 'x' },
        ],
      ],
    ];
    test.each(hostile)('that %s is refused whole', async (_what, entries) => {
      const sandbox = await kit.shared();
      const tar = await tarOf([{ name: 'innocent', data: 'x' }, ...entries]);
      await expect(sandbox.putArchive('/tmp/hostile', tar)).rejects.toMatchObject({
        code: 'archive_refused',
      });
      expect((await run(sandbox, 'test -e /tmp/escaped || test -e /tmp/hostile/innocent')).exitCode).toBe(1);
    });

    test('that is no tar is refused', async () => {
      const sandbox = await kit.shared();
      await expect(sandbox.putArchive('/tmp/x', Buffer.alloc(2048, 'nonsense'))).rejects.toMatchObject({
        code: 'archive_refused',
      });
    });
  });

  describe('the list of changed paths', () => {
    if (profile.changedPaths) {
      test('names what was added, modified and deleted, and nothing of ours', async () => {
        const sandbox = await kit.fresh();
        await run(sandbox, 'echo x > /etc/added; echo y >> /etc/passwd; rm /etc/issue');
        const changed = await sandbox.changedPaths();
        expect(changed).toContainEqual({ path: '/etc/added', kind: 'added' });
        expect(changed).toContainEqual({ path: '/etc/passwd', kind: 'modified' });
        expect(changed).toContainEqual({ path: '/etc/issue', kind: 'deleted' });
        expect(changed?.filter((entry) => entry.path.includes('longrun'))).toEqual([]);
      });
    } else {
      test('is null: this kind of sandbox cannot tell', async () => {
        expect(await (await kit.shared()).changedPaths()).toBeNull();
      });
    }
  });
}
