import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DockerDriver } from '../../src/sandbox/docker/index.js';
import { verifyByTests } from '../../src/tasks/verification/verify-by-tests.js';
import { act, ScoringBench } from '../tasks/support/scoring.js';
import { describeVerification, fixture, solveFixture, taskWith } from '../tasks/support/scoring-cases.js';

describeVerification('Docker', () => new DockerDriver());

describe('verification in a container', () => {
  let bench: ScoringBench;
  beforeAll(() => {
    bench = new ScoringBench(new DockerDriver());
  });
  afterAll(() => bench.close());

  it('needs one command where the verifier is root and two where it is not', async () => {
    const root = await bench.begin(await taskWith('id -u; echo 1 > /logs/verifier/reward.txt'));
    expect(await verifyByTests(root.task, 0, root.context, {})).toMatchObject({
      reward: 1,
      testOutput: '0\n',
    });
    expect(root.context.ran).toEqual(['tests']);
    const other = await bench.begin(
      await taskWith('id -un; echo 1 > /logs/verifier/reward.txt', '[verifier]\nuser = "nobody"'),
    );
    expect(await verifyByTests(other.task, 0, other.context, {})).toMatchObject({
      reward: 1,
      testOutput: 'nobody\n',
    });
    expect(other.context.ran).toEqual(['tests-prepare', 'tests-as-user']);
    expect(await act(other.sandbox, 'stat -c "%U %a" /logs/verifier /tests/test.sh')).toBe(
      'nobody 755\nroot 755\n',
    );
  });

  it('runs as the default user of the image where the task names none', async () => {
    const loaded = await taskWith('id -un; echo 1 > /logs/verifier/reward.txt', '', 'USER nobody\n');
    const { task, context } = await bench.begin(loaded);
    expect(await verifyByTests(task, 0, context, {})).toMatchObject({ reward: 1, testOutput: 'nobody\n' });
  });

  it('scores an agent that removed its working directory', async () => {
    const { task, context, sandbox } = await bench.begin(
      await taskWith('echo 0 > /logs/verifier/reward.txt'),
    );
    await act(sandbox, 'cd / && rm -rf /app');
    expect(await verifyByTests(task, 0, context, {})).toMatchObject({ reward: 0, failure: null });
  });

  it('names what an agent changed that tests depend on', async () => {
    const { task, context, sandbox } = await bench.begin(
      await taskWith('echo 1 > /logs/verifier/reward.txt'),
    );
    await act(
      sandbox,
      'echo "# mine" >> /root/.bashrc; cp /bin/true /usr/local/bin/python3; echo x > /app/mine.txt',
    );
    expect(await verifyByTests(task, 0, context, {})).toMatchObject({
      reward: 1,
      suspectedTampering: ['added /usr/local/bin/python3', 'modified /root/.bashrc'],
    });
  });

  it('kills what the agent left running before a restarted verifier looks, and not before a shared one', async () => {
    const running = "cat /proc/[0-9]*/cmdline 2> /dev/null | tr '\\0' ' ' | grep -q '[s]leep 300'";
    const test = `if ${running}; then echo 0.25; else echo 0.75; fi > /logs/verifier/reward.txt`;
    for (const [mode, reward] of [
      ['shared', 0.25],
      ['restarted', 0.75],
    ] as const) {
      const loaded = await taskWith(test, `[verifier]\nenvironment_mode = "${mode}"`);
      const { task, context, sandbox } = await bench.begin(loaded);
      await act(sandbox, 'setsid sleep 300 > /dev/null 2>&1 &');
      expect(await verifyByTests(task, 0, context, {})).toMatchObject({ reward, isolation: mode });
    }
  });

  it('keeps links that the image has, wherever they lead, and no other', async () => {
    const loaded = await taskWith(
      'readlink /app/out /app/gone /app/mine > /logs/verifier/links; grep -c . /logs/verifier/links > /logs/verifier/reward.txt; cat /logs/verifier/links',
      'artifacts = ["/app"]\n[verifier]\nenvironment_mode = "separate"',
      'RUN ln -s /media/stick /app/out && ln -s lost /app/gone && ln -s /media/a /app/mine\n',
    );
    const { task, context, sandbox } = await bench.begin(loaded);
    await act(sandbox, 'ln -sfn /media/b /app/mine');
    expect(await verifyByTests(task, 0, context, {})).toMatchObject({
      reward: 2,
      testOutput: '/media/stick\nlost\n',
      suspectedTampering: ['left out /app/mine: a link that does not end inside the artifact (/media/b)'],
    });
  });

  it('leaves nothing of the agent in a fresh sandbox but plain files of the artifacts', async () => {
    const loaded = await fixture('sealed-verifier');
    const { task, context, sandbox } = await bench.begin(loaded);
    await solveFixture(sandbox, loaded);
    await act(
      sandbox,
      'cd /app/out; mkfifo pipe; ln -s / root; ln -s upper.txt same; ln upper.txt hard; cp /bin/true setuid; chmod 4755 setuid; echo 1 > /usr/local/bin/sh',
    );
    expect(await verifyByTests(task, 0, context, {})).toMatchObject({ reward: 1 });
    const fresh = await context.separateSandbox(null);
    expect(await act(fresh, 'cd /app/out; stat -c "%n %F %a" *; ls /usr/local/bin')).toBe(
      'hard regular file 644\nsame symbolic link 777\nsetuid regular file 755\nupper.txt regular file 644\n',
    );
  });
});
