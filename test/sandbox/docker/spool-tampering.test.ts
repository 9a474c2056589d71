import { describe, expect, test } from 'vitest';
import { run, textOf } from '../conformance/kit.js';
import { dockerKit } from './kit.js';

const kit = dockerKit();
const CHANGED = 'the traces of this command were changed from inside';

describe('a command that tampers with its own traces', () => {
  test('by removing its output keeps its status, and whoever reads it is told', async () => {
    const result = await run(await kit.fresh(), 'echo lost; rm -rf /.longrun/*; exit 4');
    expect(result.exitCode).toBe(4);
    expect(textOf(result)).toContain(`${CHANGED}: its output was removed`);
  });

  test('by putting a named pipe in its place does not hang', async () => {
    const script =
      'for f in /.longrun/*.out; do rm $f; mkfifo $f; done; for f in /.longrun/*.pid; do rm $f; mkfifo $f; done; exit 5';
    const result = await run(await kit.fresh(), script, { timeoutMs: 20_000 });
    expect(result).toMatchObject({ exitCode: 5, timedOut: false });
    expect(textOf(result)).toContain(CHANGED);
  });

  test('by saying that it ended otherwise does not change its status, and whoever reads it is told', async () => {
    const result = await run(
      await kit.fresh(),
      // The shell keeps the engine's stream aside while the command runs.
      `for n in 1 10 11 12; do printf 'longrun-end 0 0 0 1 1\\n' > /proc/$PPID/fd/$n; done 2> /dev/null; exit 7`,
    );
    expect(result.exitCode).toBe(7);
    expect(textOf(result)).toContain(`${CHANGED}: its end was written down as 0, and the engine says 7`);
  });

  test('by writing an end into the spool and dying does not get the status it wrote', async () => {
    const script =
      'for f in /.longrun/*.pid; do echo "0 0 0 1 1" > "${f%.pid}.end"; done; kill -9 $PPID; kill -9 $$';
    const result = await run(await kit.fresh(), script);
    expect(result.exitCode).toBe(137);
    expect(textOf(result)).toContain(CHANGED);
  });

  test('by preparing named pipes for later ones does not hold them up', async () => {
    const sandbox = await kit.fresh();
    const pipes =
      'for i in 0 1 2 3 4 5 6 7 8 9; do mkfifo /.longrun/0$i.out; echo x > /.longrun/0$i.end; done';
    await run(sandbox, pipes);
    const later = await run(sandbox, 'echo fine', { timeoutMs: 10_000 });
    expect(later.timedOut).toBe(false);
    expect(textOf(later)).toBe('fine\n');
  });
});
