import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bwrapArguments } from '../../src/sandbox/bubblewrap/bwrap-arguments.js';
import { BubblewrapDriver } from '../../src/sandbox/bubblewrap/index.js';
import { readRootFolder } from '../../src/sandbox/bubblewrap/root-folder.js';
import { threat } from '../support/threat.js';
import { eventually, NEVER, request, run, SandboxKit, textOf } from './conformance/kit.js';
import { tarOf } from './conformance/tar.js';

const kit = new SandboxKit(() => new BubblewrapDriver(), { kind: 'image', name: 'host' });
beforeAll(() => kit.open());
afterAll(() => kit.close());

test('a command has no capabilities, cannot gain any, and is root only in its own user namespace', async () => {
  const sandbox = await kit.shared();
  const status = textOf(
    await run(sandbox, 'grep -E "^(Cap(Eff|Prm|Bnd|Amb)|NoNewPrivs)" /proc/self/status; id -u'),
  );
  expect(status.match(/Cap\w+:\s+0{16}/g)).toHaveLength(4);
  expect(status).toMatch(/NoNewPrivs:\s+1\n0\n$/);
  const map = textOf(await run(sandbox, 'cat /proc/self/uid_map'))
    .trim()
    .split(/\s+/);
  expect(map[0]).toBe('0');
  expect(map[1]).not.toBe('0');
  expect(map[2]).toBe('1');
});

test('nothing of the host but its programs can be seen', async () => {
  const secret = join(await mkdtemp(join(tmpdir(), 'longrun-host-')), 'secret');
  await writeFile(secret, 'host only', { mode: 0o644 });
  const sandbox = await kit.shared();
  const script = `cat ${secret} /etc/shadow /root/.bash_history; ls -A /home /root /run /sys /boot; ls /var/lib/dpkg /var/run/docker.sock`;
  const result = textOf(await run(sandbox, script));
  expect(result).not.toContain('host only');
  expect(result.match(/No such file or directory/g)?.length).toBeGreaterThanOrEqual(6);
  expect(textOf(await run(sandbox, 'env; cat /proc/1/environ'))).not.toContain(process.env.PATH ?? 'unset');
  await rm(join(secret, '..'), { recursive: true });
});

test("the host's programs and the kernel's settings cannot be written", async () => {
  const script =
    'touch /usr/bin/evil || echo no; echo x > /proc/sys/kernel/hostname || echo no; touch /dev/x || echo no';
  expect(textOf(await run(await kit.shared(), `(${script}) 2>/dev/null`))).toBe('no\nno\nno\n');
});

test('a command can neither signal nor trace nor write to the exec server', async () => {
  const sandbox = await kit.fresh();
  await run(sandbox, 'for s in KILL TERM HUP INT SEGV STOP; do kill -$s 1; done');
  const attempts = await run(
    sandbox,
    'for n in 0 1 2 3 4 5; do echo x > /proc/1/fd/$n; readlink /proc/1/fd/$n && echo seen; done; cat /proc/1/mem',
  );
  expect(textOf(attempts).match(/Permission denied/g)).toHaveLength(7);
  expect(textOf(attempts)).not.toContain('seen');
  expect(textOf(await run(sandbox, 'ls /proc/self/fd | wc -l'))).toBe('4\n');
});

test('an archive is written inside: a link in the sandbox leads to nothing of the host', async () => {
  const host = await mkdtemp(join(tmpdir(), 'longrun-target-'));
  const sandbox = await kit.fresh();
  await run(sandbox, `ln -s ${host} /app`);
  await sandbox.putArchive('/app', await tarOf([{ name: 'escaped', data: 'x' }])).catch(() => undefined);
  expect((await run(await kit.shared(), `test -e ${host}/escaped`)).exitCode).toBe(1);
  await expect(rm(join(host, 'escaped'))).rejects.toMatchObject({ code: 'ENOENT' });
  await rm(host, { recursive: true });
});

test('much output without end is bounded, and the limit on time still holds', async () => {
  const result = await run(await kit.shared(), 'yes', { timeoutMs: 700, outputLimitBytes: 1000 });
  expect(result.timedOut).toBe(true);
  expect(result.output.head.length + result.output.tail.length).toBe(1000);
  expect(result.output.omittedBytes).toBeGreaterThan(100_000);
});

test('a background process that goes on printing is not stopped by the end of its call', async () => {
  const sandbox = await kit.fresh();
  await run(sandbox, '(for i in 1 2 3 4 5 6; do echo $i; sleep 0.1; done; echo done > /tmp/done) & true');
  const done = async () => textOf(await run(sandbox, 'cat /tmp/done')) === 'done\n';
  expect(await eventually(done)).toBe(true);
});

test('a fork bomb ends with its time limit and the sandbox answers afterwards', async () => {
  const sandbox = await kit.fresh();
  const result = await run(sandbox, 'f() { f | f & }; f; sleep 30', {
    timeoutMs: 500,
    outputLimitBytes: 100,
  });
  expect(result.exitCode).not.toBe(0);
  await sandbox.restart();
  expect(textOf(await run(sandbox, 'echo alive'))).toBe('alive\n');
});

test('a changed program link is on the list of changed paths, an untouched sandbox has none', async () => {
  const sandbox = await kit.fresh({ workdir: '/workspace/deep' });
  expect(await sandbox.changedPaths()).toEqual([]);
  await run(sandbox, 'rm /bin; ln -s /tmp /bin; touch -d 1970-01-01 /etc/passwd; echo > /usr/local/bin/ls');
  expect(await sandbox.changedPaths()).toEqual(
    expect.arrayContaining([
      { path: '/bin', kind: 'modified' },
      { path: '/etc/passwd', kind: 'modified' },
      { path: '/usr/local/bin/ls', kind: 'added' },
    ]),
  );
});

test('a sandbox whose processes were ended from outside says so', async () => {
  const before = await bwrapPids(process.pid);
  const sandbox = await kit.fresh();
  const asked = request('sleep 60');
  const handle = await sandbox.createExec(asked);
  await sandbox.startExec(handle, asked);
  const waiting = sandbox.awaitExec(handle, asked, NEVER);
  for (const pid of await bwrapPids(process.pid)) if (!before.includes(pid)) process.kill(pid, 'SIGKILL');
  await expect(waiting).rejects.toMatchObject({ code: 'sandbox_gone' });
  expect(await sandbox.state()).toEqual({ running: false, ended: 'outside', oomKilled: false });
  expect((await kit.driver.adopt(sandbox.ref))?.ref).toEqual(sandbox.ref);
});

test('the sandboxes of a killed process end with it', async () => {
  const line = bwrapArguments(await readRootFolder('/'), null);
  const program = `require('node:child_process').spawn('bwrap', ${JSON.stringify(line)}, { stdio: ['pipe', 'inherit', 'inherit'] }); setInterval(() => {}, 1000)`;
  const worker = spawn(process.execPath, ['-e', program], { cwd: '/', stdio: ['ignore', 'pipe', 'ignore'] });
  await new Promise((resolve) => worker.stdout.once('data', resolve));
  const pids = await bwrapPids(worker.pid as number);
  expect(pids).toHaveLength(1);
  worker.kill('SIGKILL');
  const gone = async () =>
    (await bwrapPids(worker.pid as number)).length === 0 && !existsSync(`/proc/${pids[0]}`);
  expect(await eventually(gone)).toBe(true);
});

describe(threat('an agent without a network', 'anything outside of its sandbox'), () => {
  test('sockets to the machine around a virtual one, which no namespace holds back, are refused', async () => {
    const socket = 'socket(my $s, $ARGV[0], SOCK_STREAM, 0) ? "made" : "refused"';
    const families = 'for n in 1 2 10 40; do perl -MSocket -e \'print @S@, "\\n"\' $n; done'.replace(
      '@S@',
      socket,
    );
    expect(textOf(await run(await kit.shared(), families))).toBe('made\nmade\nmade\nrefused\n');
    const otherABI = 'perl -e \'print syscall(0x40000000 + 41, 40, 1, 0) < 0 ? "refused" : "made"\'';
    const ring = 'perl -e \'print syscall(425, 8, my $p = "\\0" x 120) < 0 ? "refused" : "made"\'';
    for (const script of [ring, ...(process.arch === 'x64' ? [otherABI] : [])])
      expect(textOf(await run(await kit.shared(), script))).toBe('refused');
  });
});

test('users and the network are refused in words', async () => {
  await expect(run(await kit.shared(), 'true', { user: 'nobody' })).rejects.toMatchObject({
    code: 'sandbox_failed',
    retryable: false,
  });
  await expect(kit.fresh({ network: 'public' })).rejects.toMatchObject({ code: 'sandbox_failed' });
});

test('a machine without bubblewrap is told what to install', async () => {
  const path = process.env.PATH;
  process.env.PATH = join(tmpdir(), 'longrun-no-such-folder');
  try {
    const found = await new BubblewrapDriver().probe();
    expect(found).toMatchObject({ available: false, hint: expect.stringContaining('Install bubblewrap') });
  } finally {
    process.env.PATH = path;
  }
});

/** The bwrap processes that a process has started. */
async function bwrapPids(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  const children = stats.map((stat) => /^(\d+) \(bwrap\) (\S) (\d+) /.exec(stat));
  return children.filter((match) => match?.[3] === String(parent)).map((match) => Number(match?.[1]));
}
