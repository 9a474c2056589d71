import { describe, expect, it } from 'vitest';
import type { AttemptKey } from '../../src/core/ids.js';
import { openStore } from '../../src/store/index.js';
import { keys } from '../../src/store/keys.js';
import { temporaryFolder, temporaryStateDir } from '../support/state.js';
import { until } from '../support/until.js';
import { longrun } from './support/longrun.js';
import { startLongrun } from './support/process.js';
import { writeTask } from './support/tasks.js';

const attempt = (n: number): AttemptKey => ({ runId: 'r', taskId: 'apple', sample: 0, attempt: n });

/** A run that was cancelled at work, so that there is something to replay. */
async function cancelledRun() {
  const stateDir = await temporaryStateDir();
  const tasks = await temporaryFolder();
  writeTask(tasks, 'apple');
  const env = { LONGRUN_HOME: stateDir };
  const store = await openStore(stateDir);
  const turnsOf = async (n: number) => (await store.children(keys.turns(attempt(n), 0))).length;
  const model = ['--model', 'scripted/turns-25-delay-100ms', '--sandbox', 'memory'];
  const cli = startLongrun(['evaluate', tasks, ...model, '--run-id', 'r'], env);
  await until(async () => (await turnsOf(1)) >= 2, { what: 'the first turns are recorded' });
  expect((await longrun(['runs', 'cancel', 'r'], env)).code).toBe(0);
  expect(await cli.ended).toBe(1);
  return { env, store, turnsOf };
}

const REPLAY = ['replay', 'r', '--failed', '--mode', 'rerun'];

describe('Ctrl-C in a replay', () => {
  it('keeps what is finished, prints the command that carries on, and exits with 130', async () => {
    const { env, turnsOf } = await cancelledRun();
    const cli = startLongrun(REPLAY, env);
    await until(async () => (await turnsOf(2)) >= 3, { what: 'the first turns of the replay are recorded' });
    cli.process.kill('SIGINT');
    expect(await cli.ended).toBe(130);
    expect(cli.output.stderr).toContain('longrun runs resume r');
    const resumed = await longrun(['runs', 'resume', 'r', '--json'], env);
    expect(resumed.code).toBe(0);
    expect(resumed.stderr).toContain('Carrying on replay rerun-');
    expect(resumed.json()).toMatchObject({
      summary: { n_scored: 1, n_cancelled: 0 },
      rollouts: [{ replay: { mode: 'rerun' } }],
    });
  });
});

describe('a replay whose process was killed', () => {
  it('is carried on by the same command, as the same replay', async () => {
    const { env, turnsOf } = await cancelledRun();
    const cli = startLongrun(REPLAY, env);
    await until(async () => (await turnsOf(2)) >= 3, { what: 'the first turns of the replay are recorded' });
    cli.process.kill('SIGKILL');
    await cli.ended;
    const again = await longrun([...REPLAY, '--json'], env);
    expect(again.stderr).toMatch(/Replay rerun-.* is open already: carrying it on\./);
    expect(again.json()).toMatchObject({
      replay: { status: 'finished' },
      rollouts: [{ counts: true, result: { reward: 0 } }],
    });
    expect(again.code).toBe(0);
  });

  it('is cancelled as replay where its run is over', async () => {
    const { env, turnsOf } = await cancelledRun();
    const cli = startLongrun(REPLAY, env);
    await until(async () => (await turnsOf(2)) >= 3, { what: 'the first turns of the replay are recorded' });
    const { code, stderr } = await longrun(['runs', 'cancel', 'r'], env);
    expect(code).toBe(0);
    expect(stderr).toContain('Replays of run r are being cancelled: rerun-');
    expect(await cli.ended).toBe(1);
    const { summary } = (await longrun(['runs', 'show', 'r', '--json'], env)).json();
    expect(summary).toMatchObject({ n_cancelled: 1, n_scored: 0 });
  });
});
