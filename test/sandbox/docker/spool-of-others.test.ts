import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/sandbox.js';
import { threat } from '../../support/threat.js';
import { NEVER, request, run, textOf } from '../conformance/kit.js';
import { dockerKit } from './kit.js';

const kit = dockerKit();
const PROTECTED = '/proc/sys/fs/protected_regular';

const asAgent = (sandbox: Sandbox, script: string, timeoutMs = 20_000) =>
  run(sandbox, script, { user: '1000', timeoutMs });
const asRoot = (sandbox: Sandbox, script: string) => run(sandbox, script, { user: 'root' });

/** What protects files in folders like /tmp from other users: systemd turns it on, the kernel alone does not. */
describe.each(['0', '1'])('where fs.protected_regular is %s', (level) => {
  let before = '';
  beforeAll(async () => {
    before = await readFile(PROTECTED, 'utf8');
    await writeFile(PROTECTED, level);
  });
  afterAll(() => writeFile(PROTECTED, before));

  describe(threat('an agent that is not root', "root's files and commands in its sandbox"), () => {
    test('it can neither list, make, nor write anything where commands of root keep their output', async () => {
      const sandbox = await kit.shared();
      await asRoot(sandbox, 'echo mine');
      const tried = await asAgent(
        sandbox,
        'ls /.longrun; cat /.longrun/*; echo x > /.longrun/x; mkdir /.longrun/y; ln -s / /.longrun/z; mv /.longrun /.mine; rm -rf /.longrun/*; echo tried',
      );
      expect(textOf(tried)).not.toContain('mine\n');
      expect(textOf(tried).match(/[Pp]ermission denied/g)?.length).toBeGreaterThanOrEqual(5);
      expect(
        textOf(await asRoot(sandbox, 'ls /.longrun/x /.longrun/y /.longrun/z 2>&1 | grep -c No.such')),
      ).toBe('3\n');
    });

    test('what it writes for its own commands is all that it changes', async () => {
      const sandbox = await kit.fresh();
      await asRoot(
        sandbox,
        'mkdir /golden; echo key > /golden/key; echo secret > /root/secret; chmod 600 /root/secret',
      );
      const names = `i=0; while [ $i -lt 40 ]; do : > "$d/a$i$(printf '%0200d' 0).end"; i=$((i + 1)); done; : > "$d/0 -r golden q.end"`;
      await asAgent(
        sandbox,
        `for d in /.longrun-users /.longrun-users/*; do ${names}; done 2> /dev/null; true`,
      );
      for (let call = 0; call < 3; call += 1)
        expect(textOf(await asRoot(sandbox, 'echo fine'))).toBe('fine\n');
      expect(textOf(await asAgent(sandbox, 'echo fine'))).toBe('fine\n');
      expect(textOf(await asRoot(sandbox, 'cat /golden/key'))).toBe('key\n');
    });

    test('by links in the place of its own output it reads and empties nothing of root’s', async () => {
      const sandbox = await kit.fresh();
      await asRoot(sandbox, 'echo secret > /root/secret; chmod 600 /root/secret; chmod 711 /root');
      const asked = request('for f in /.longrun-users/*/*.out; do ln -sf /root/secret $f; done; sleep 4', {
        user: '1000',
      });
      const handle = await sandbox.createExec(asked);
      await sandbox.startExec(handle, asked);
      // Another process reads what it left, and trims it, before and after its end.
      const other = await kit.makeDriver().adopt(sandbox.ref);
      const read = await other?.awaitExec(handle, asked, NEVER);
      expect(textOf(read as never)).not.toContain('secret');
      expect(textOf(await asRoot(sandbox, 'cat /root/secret'))).toBe('secret\n');
    });

    test('by a false process id it has nobody killed but its own', async () => {
      const sandbox = await kit.fresh();
      const daemon = await asRoot(sandbox, 'setsid sleep 300 > /dev/null 2>&1 & echo $!');
      const pid = textOf(daemon).trim();
      const killed = await asAgent(
        sandbox,
        `for f in /.longrun-users/*/*.pid; do echo "${pid} 1" > $f; done; sleep 60`,
        1_000,
      );
      expect(killed).toMatchObject({ timedOut: true, exitCode: null });
      // Where its traces are false, every process is ended.
      const left = await asRoot(sandbox, 'cat /proc/[0-9]*/comm | grep -c sleep');
      expect(textOf(left)).toBe('0\n');
    });
  });

  describe(threat('an agent that is not root', 'the commands of another user in its sandbox'), () => {
    test('a folder that it has made in the place of theirs is not used, and they are not begun', async () => {
      const sandbox = await kit.fresh();
      const theirs = Buffer.from('1001').toString('hex');
      await asAgent(sandbox, `mkdir -m 777 /.longrun-users/${theirs}`);
      const result = await run(sandbox, 'touch /tmp/ran', { user: '1001' });
      expect(result).toMatchObject({ exitCode: 126, outcomeUnknown: false });
      expect((await asRoot(sandbox, 'test -e /tmp/ran')).exitCode).toBe(1);
      await sandbox.restart();
      expect(textOf(await run(sandbox, 'echo fine', { user: '1001' }))).toBe('fine\n');
    });

    test('a link in the place of their folder is not followed', async () => {
      const sandbox = await kit.fresh();
      const theirs = Buffer.from('1001').toString('hex');
      await run(sandbox, 'mkdir -p /tmp/own && echo x > /tmp/own/x.out && echo 0 > /tmp/own/x.end', {
        user: '1001',
      });
      await asRoot(sandbox, `rm -rf /.longrun-users/${theirs}`);
      await asAgent(sandbox, `ln -s /tmp/own /.longrun-users/${theirs}`);
      expect((await run(sandbox, 'true', { user: '1001' })).exitCode).toBe(126);
      expect(textOf(await asRoot(sandbox, 'cat /tmp/own/x.out'))).toBe('x\n');
    });

    test('it cannot look into their folder', async () => {
      const sandbox = await kit.fresh();
      await run(sandbox, 'echo theirs', { user: '1001' });
      const theirs = Buffer.from('1001').toString('hex');
      expect((await asAgent(sandbox, `ls /.longrun-users/${theirs}`)).exitCode).not.toBe(0);
    });
  });
});

test('a spool that others have filled does not keep root from its commands', async () => {
  const sandbox = await kit.fresh({ memoryMb: 64 });
  await asAgent(sandbox, 'head -c 100000000 /dev/zero > /.longrun-users/full 2> /dev/null; true');
  expect(textOf(await asRoot(sandbox, 'echo fine'))).toBe('fine\n');
});
