import { describe, expect, it } from 'vitest';
import { temporaryFolder, temporaryStateDir } from '../support/state.js';
import { until } from '../support/until.js';
import { longrun } from './support/longrun.js';
import { startLongrun } from './support/process.js';
import { writeTask } from './support/tasks.js';

async function folders() {
  const tasks = await temporaryFolder();
  writeTask(tasks, 'apple');
  writeTask(tasks, 'pear');
  return { tasks, env: { LONGRUN_HOME: await temporaryStateDir() } };
}
const evaluate = (tasks: string, runId: string, model: string): string[] => [
  'evaluate',
  tasks,
  '--model',
  model,
  '--sandbox',
  'memory',
  '--run-id',
  runId,
  '--json',
];

describe('two terminals with one state folder', () => {
  it('share server and worker, and both runs finish though the first terminal leaves first', async () => {
    const { tasks, env } = await folders();
    const first = startLongrun(evaluate(tasks, 'first', 'scripted/turns-5-delay-200ms'), env);
    await first.says('Run first: 2 tasks');
    const second = startLongrun(evaluate(tasks, 'second', 'scripted/turns-30-delay-200ms'), env);
    expect([await first.ended, await second.ended]).toEqual([0, 0]);
    for (const cli of [first, second]) {
      const document = JSON.parse(cli.output.stdout);
      expect(document.summary).toMatchObject({ n_rollouts: 2, n_scored: 2, n_infrastructure: 0 });
      expect(document.rollouts.map((result: { attempts: number }) => result.attempts)).toEqual([1, 1]);
    }
  });

  it('refuse a second host worker, start detached runs, and go down together', async () => {
    const { tasks, env } = await folders();
    const up = startLongrun(['up'], env);
    await up.says('is ready');

    const second = await longrun(['worker', '--json'], env);
    expect(second.code).toBe(1);
    expect(second.json().error).toMatchObject({ code: 'host_locked', details: { pid: up.process.pid } });

    const detached = await longrun([...evaluate(tasks, 'away', 'scripted/turns-3'), '--detach'], env);
    expect(detached.code).toBe(0);
    expect(detached.json()).toEqual({ run: { run_id: 'away', status: 'running' } });
    const watched = await longrun(['runs', 'watch', 'away', '--json'], env);
    expect(watched.code).toBe(0);
    expect(watched.json().summary).toMatchObject({ n_scored: 2 });

    const down = await longrun(['down'], env);
    expect(down.stdout).toContain('Stopped the worker and the Temporal server.');
    expect(await up.ended).toBe(0);
  });

  it('keep the server of the first when a second longrun up is refused', async () => {
    const { tasks, env } = await folders();
    const up = startLongrun(['up'], env);
    await up.says('is ready');
    const second = startLongrun(['up', '--json'], env);
    expect(await second.ended).toBe(1);
    expect(JSON.parse(second.output.stdout).error.code).toBe('host_locked');

    const detached = await longrun([...evaluate(tasks, 'away', 'scripted/turns-3'), '--detach'], env);
    expect(detached.code).toBe(0);
    const watched = await longrun(['runs', 'watch', 'away', '--json'], env);
    expect(watched.json().summary).toMatchObject({ n_scored: 2 });
    up.process.kill('SIGINT');
    expect(await up.ended).toBe(0);
  });

  it('are both told how to carry on when longrun down stops the server', async () => {
    const { tasks, env } = await folders();
    const up = startLongrun(['up'], env);
    await up.says('is ready');
    const argv = evaluate(tasks, 'r', 'scripted/turns-60-delay-100ms');
    const client = startLongrun([...argv, '--concurrency', '1'], env);
    await client.says('this one watches');
    const watcher = startLongrun(['runs', 'watch', 'r'], env);
    await watcher.says('[1/2]');

    expect((await longrun(['down'], env)).code).toBe(0);
    expect(await Promise.all([client.ended, watcher.ended, up.ended])).toEqual([1, 1, 0]);
    for (const { output } of [client, watcher]) {
      expect(output.stderr).toContain('longrun runs resume r');
      expect(output.stderr).not.toMatch(/^\s+at /m);
    }
  });

  it('can pause, resume and cancel the run of the other', async () => {
    const { tasks, env } = await folders();
    const cli = startLongrun(
      [...evaluate(tasks, 'r', 'scripted/turns-200-delay-200ms'), '--concurrency', '1'],
      env,
    );
    await until(async () => /^r +running/m.test((await longrun(['runs', 'list'], env)).stdout));
    expect((await longrun(['runs', 'pause', 'r'], env)).code).toBe(0);
    expect((await longrun(['runs', 'list'], env)).stdout).toMatch(/^r +paused/m);
    expect((await longrun(['runs', 'resume', 'r', '--detach'], env)).code).toBe(0);
    expect((await longrun(['runs', 'list'], env)).stdout).toMatch(/^r +running/m);
    expect((await longrun(['runs', 'cancel', 'r'], env)).code).toBe(0);
    expect(await cli.ended).toBe(1);
    expect(cli.output.stderr).toContain('The run was cancelled.');
    expect(JSON.parse(cli.output.stdout).summary.n_scored).toBe(0);
  });
});
