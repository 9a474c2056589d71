import { describe, expect, test } from 'vitest';
import { NEVER, request, run, textOf } from '../conformance/kit.js';
import { dockerKit } from './kit.js';

const kit = dockerKit();

describe('the spool of outputs', () => {
  test('survives many calls without filling up', async () => {
    const sandbox = await kit.fresh({ memoryMb: 64 });
    for (let call = 0; call < 12; call += 1) {
      const result = await run(sandbox, 'head -c 3000000 /dev/zero | tr "\\0" x', { outputLimitBytes: 1000 });
      expect(result).toMatchObject({ exitCode: 0, output: { omittedBytes: 2_999_000 } });
    }
  });

  test('holds a fast torrent within its bound, and the next call is well', async () => {
    const sandbox = await kit.fresh({ memoryMb: 64 });
    const torrent = await run(sandbox, 'yes', { timeoutMs: 10_000 });
    expect(torrent.timedOut).toBe(false);
    expect(torrent.exitCode).not.toBe(0);
    expect(torrent.output.omittedBytes).toBeGreaterThan(7_000_000);
    expect(textOf(await run(sandbox, 'echo fine'))).toBe('fine\n');
  });

  test('is trimmed under a long and noisy command, which does not notice', async () => {
    const sandbox = await kit.fresh({ memoryMb: 64 });
    // Three times what the spool holds, in chunks that come while the command is watched.
    const noisy =
      'echo first; sleep 3; i=0; while [ $i -lt 8 ]; do head -c 3000000 /dev/zero; sleep 1.2; i=$((i+1)); done; echo last';
    const result = await run(sandbox, noisy, { outputLimitBytes: 1000 });
    expect(result.exitCode).toBe(0);
    expect(Buffer.from(result.output.head).toString().startsWith('first\n')).toBe(true);
    expect(Buffer.from(result.output.tail).toString().endsWith('last\n')).toBe(true);
    expect(result.output.omittedBytes).toBe(24_000_000 + 11 - 1000);
  });

  test('removed by the agent costs the output, not the time limit or the status', async () => {
    const sandbox = await kit.fresh();
    const status = await run(sandbox, 'echo lost; rm -rf /.longrun/*; exit 4');
    expect(status.exitCode).toBe(4);
    const limit = await run(sandbox, 'rm -rf /.longrun/*; sleep 60', { timeoutMs: 500 });
    expect(limit).toMatchObject({ timedOut: true, exitCode: null });
    expect(textOf(await run(sandbox, 'echo fine'))).toBe('fine\n');
  });

  test('filled by the agent does not keep a command from its time limit', async () => {
    const sandbox = await kit.fresh({ memoryMb: 64 });
    const filling = 'head -c 100000000 /dev/zero > /.longrun/full 2>/dev/null; sleep 60';
    expect((await run(sandbox, filling, { timeoutMs: 1500 })).timedOut).toBe(true);
    const later = await run(sandbox, 'sleep 60', { timeoutMs: 500 });
    expect(later.timedOut).toBe(true);
  });

  test('gives a later process the output of a background writer only up to the end of the call', async () => {
    const sandbox = await kit.fresh();
    const asked = request('(sleep 0.3; echo late) & echo main');
    const handle = await sandbox.createExec(asked);
    await sandbox.startExec(handle, asked);
    await sandbox.awaitExec(handle, asked, NEVER);
    await run(sandbox, 'sleep 0.5');
    const other = await kit.makeDriver().adopt(sandbox.ref);
    expect(textOf((await other?.awaitExec(handle, asked, NEVER)) as never)).toBe('main\n');
  });
});

test('a command whose input is larger than the spool is not run', async () => {
  const sandbox = await kit.fresh({ memoryMb: 64 });
  const result = await run(sandbox, 'touch /tmp/ran', { stdin: Buffer.alloc(12_000_000, 'x') });
  expect(result).toMatchObject({ exitCode: 126, outcomeUnknown: false });
  expect(textOf(result)).toContain('input');
  expect((await run(sandbox, 'test -e /tmp/ran')).exitCode).toBe(1);
});
