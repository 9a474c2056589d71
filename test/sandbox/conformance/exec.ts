import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { SandboxProfile } from '../../../src/sandbox/sandbox.js';
import { bytesOf, run, type SandboxKit, textOf } from './kit.js';

/** Commands: exit codes, output, stdin, environment. */
export function execBehaviour(kit: SandboxKit, profile: SandboxProfile): void {
  describe('a command', () => {
    test('answers its exit code', async () => {
      const sandbox = await kit.shared();
      expect((await run(sandbox, 'true')).exitCode).toBe(0);
      const failed = await run(sandbox, 'exit 7');
      expect(failed).toMatchObject({ exitCode: 7, timedOut: false, killed: false, outcomeUnknown: false });
      expect(failed.durationMs).toBeGreaterThanOrEqual(0);
    });

    test('that does not exist answers 127 and says so', async () => {
      const result = await run(await kit.shared(), 'no-such-command-here');
      expect(result.exitCode).toBe(127);
      expect(textOf(result)).toContain('not found');
    });

    test('with a syntax error answers a failure, not an exception', async () => {
      const result = await run(await kit.shared(), 'if then fi (');
      expect(result.exitCode).not.toBe(0);
    });

    test('has its stdout and stderr combined in order', async () => {
      const result = await run(await kit.shared(), 'echo one; echo two >&2; echo three');
      expect(textOf(result)).toBe('one\ntwo\nthree\n');
      expect(result.output.omittedBytes).toBe(0);
      expect(result.output.tail).toHaveLength(0);
    });

    test('without output answers empty output', async () => {
      expect(textOf(await run(await kit.shared(), ':'))).toBe('');
    });

    test('with much output keeps head and tail and counts what it left out', async () => {
      const script = 'i=0; while [ $i -lt 2000 ]; do echo "line $i"; i=$((i+1)); done';
      const result = await run(await kit.shared(), script, { outputLimitBytes: 1000 });
      const total = Array.from({ length: 2000 }, (_, i) => `line ${i}\n`).join('');
      expect(Buffer.from(result.output.head).toString()).toBe(total.slice(0, 500));
      expect(Buffer.from(result.output.tail).toString()).toBe(total.slice(-500));
      expect(result.output.omittedBytes).toBe(total.length - 1000);
      expect(result.exitCode).toBe(0);
    });

    test('with exactly the limit of output loses nothing', async () => {
      const result = await run(await kit.shared(), 'printf 0123456789', { outputLimitBytes: 10 });
      expect(textOf(result)).toBe('0123456789');
      expect(result.output.omittedBytes).toBe(0);
    });

    test('may print any bytes', async () => {
      const bytes = Buffer.from([0, 255, 1, 254, 128, 10, 13, 0, 0xc3, 0x28, 27, 0]);
      const octal = [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
      const result = await run(await kit.shared(), `printf '${octal}'`);
      expect(bytesOf(result)).toEqual(bytes);
    });

    test('may be written and answer in any script of the world', async () => {
      const words = 'héllo wörld 你好 🚀 \u202eمرحبا';
      const result = await run(await kit.shared(), `printf '%s' "${words}"`);
      expect(textOf(result)).toBe(words);
    });

    test('may hold quotes, dollars, newlines and dashes', async () => {
      const result = await run(await kit.shared(), `printf '%s|' "a'b" '$HOME' "c\nd" -n --help`);
      expect(textOf(result)).toBe(`a'b|$HOME|c\nd|-n|--help|`);
    });

    test('longer than one argument may be is run whole', async () => {
      const filler = `# ${'x'.repeat(98)}\n`.repeat(3000);
      const result = await run(await kit.shared(), `${filler}echo end`);
      expect(textOf(result)).toBe('end\n');
    });

    test('gets its standard input whole, any bytes', async () => {
      const sandbox = await kit.shared();
      const stdin = Buffer.concat([Buffer.from([0, 13, 10, 255]), randomBytes(1_000_000)]);
      const written = await run(sandbox, 'cat > /tmp/stdin-copy', { stdin });
      expect(written.exitCode).toBe(0);
      const echoed = await run(sandbox, 'cat /tmp/stdin-copy; rm /tmp/stdin-copy', {
        outputLimitBytes: 2_000_000,
      });
      expect(bytesOf(echoed).equals(stdin)).toBe(true);
    });

    test('sees the end of its input at once when none is given', async () => {
      expect(textOf(await run(await kit.shared(), 'cat; echo done'))).toBe('done\n');
      const empty = await run(await kit.shared(), 'cat; echo done', { stdin: new Uint8Array() });
      expect(textOf(empty)).toBe('done\n');
    });

    test('need not read its input', async () => {
      const result = await run(await kit.shared(), 'exit 3', { stdin: randomBytes(300_000) });
      expect(result.exitCode).toBe(3);
    });

    test('runs in the directory it asks for', async () => {
      const result = await run(await kit.shared(), 'pwd', { cwd: '/usr/bin' });
      expect(textOf(result)).toBe('/usr/bin\n');
    });

    test('in a directory that is not there fails and does not run', async () => {
      const result = await run(await kit.shared(), 'echo ran', { cwd: '/no/such/directory' });
      expect(result.exitCode).not.toBe(0);
      expect(textOf(result)).not.toContain('ran');
    });

    test('gets its environment, any text', async () => {
      const env = { GREETING: 'hello "wörld" $X', MULTI: 'a\nb', EMPTY: '' };
      const result = await run(
        await kit.shared(),
        `printf "%s|%s|%s" "$GREETING" "$MULTI" "\${EMPTY-unset}"`,
        { env },
      );
      expect(textOf(result)).toBe('hello "wörld" $X|a\nb|');
    });

    test('leaves no environment or directory behind for the next', async () => {
      const sandbox = await kit.shared();
      await run(sandbox, 'export LEFTOVER=1; cd /usr');
      expect(
        textOf(await run(sandbox, `echo "\${LEFTOVER-none}"; [ "$(pwd)" = /usr ] || echo elsewhere`)),
      ).toBe('none\nelsewhere\n');
    });
  });

  if (profile.users) {
    describe('a user', () => {
      test('runs a command under its own name', async () => {
        const result = await run(await kit.shared(), 'id -un; touch /etc/mine 2>/dev/null || echo denied', {
          user: 'nobody',
        });
        expect(textOf(result)).toBe('nobody\ndenied\n');
      });

      test('given by number works too, and many in turn share the sandbox', async () => {
        const sandbox = await kit.shared();
        for (const user of ['1234', 'nobody', '0', '1234:1234']) {
          const result = await run(sandbox, 'id -u', { user, stdin: Buffer.from('x') });
          expect(result.exitCode).toBe(0);
        }
        expect(textOf(await run(sandbox, 'id -u', { user: '1234' }))).toBe('1234\n');
      });

      test('that does not exist is refused in words', async () => {
        await expect(run(await kit.shared(), 'true', { user: 'no-such-user' })).rejects.toMatchObject({
          code: 'sandbox_failed',
          retryable: false,
        });
      });

      test('may be changed to by root (chown, su)', async () => {
        const result = await run(
          await kit.shared(),
          'touch /tmp/f && chown nobody /tmp/f && su -s /bin/sh nobody -c "id -un; rm /tmp/f" && echo ok',
        );
        expect(textOf(result)).toBe('nobody\nok\n');
      });
    });
  }
}
