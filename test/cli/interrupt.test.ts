import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../src/store/index.js';
import { keys } from '../../src/store/keys.js';
import type { ArtifactStore } from '../../src/store/store.js';
import { temporaryFolder, temporaryStateDir } from '../support/state.js';
import { until } from '../support/until.js';
import { longrun } from './support/longrun.js';
import { startLongrun } from './support/process.js';
import { writeTask } from './support/tasks.js';

const rollout = { runId: 'r', taskId: 'apple', sample: 0 };
const turnsOf = async (store: ArtifactStore): Promise<number> =>
  (await store.children(keys.turns({ ...rollout, attempt: 1 }, 0))).length;

async function startRun(...more: string[]) {
  const stateDir = await temporaryStateDir();
  const tasks = await temporaryFolder();
  writeTask(tasks, 'apple');
  writeTask(tasks, 'pear');
  const env = { LONGRUN_HOME: stateDir };
  const model = 'scripted/turns-20-delay-100ms';
  const argv = [
    'evaluate',
    tasks,
    '--model',
    model,
    '--sandbox',
    'memory',
    '--run-id',
    'r',
    '--concurrency',
    '1',
    ...more,
  ];
  const cli = startLongrun(argv, env);
  const store = await openStore(stateDir);
  await until(async () => (await turnsOf(store)) >= 3, { what: 'the first turns are recorded' });
  return { cli, env, store };
}

describe('Ctrl-C', () => {
  it('once keeps everything, prints the command that carries on, and exits with 130', async () => {
    const { cli, env, store } = await startRun();
    cli.process.kill('SIGINT');
    expect(await cli.ended).toBe(130);
    expect(cli.output.stderr).toContain('longrun runs resume r');
    expect(await turnsOf(store)).toBeGreaterThanOrEqual(3);
    expect((await longrun(['runs', 'list'], env)).stdout).toMatch(/^r +interrupted/m);

    const resumed = await longrun(['runs', 'resume', 'r', '--json'], env);
    expect(resumed.code).toBe(0);
    expect(resumed.json()).toMatchObject({
      run: { status: 'finished' },
      summary: { n_scored: 2, n_open: 0 },
    });
  });

  it('twice leaves at once, and nothing recorded is lost', async () => {
    const { cli, store } = await startRun();
    const before = await turnsOf(store);
    cli.process.kill('SIGINT');
    await cli.says('Ctrl-C again leaves now');
    cli.process.kill('SIGINT');
    expect(await cli.ended).toBe(130);
    expect(await turnsOf(store)).toBeGreaterThanOrEqual(before);
  });

  it('SIGTERM is taken as a Ctrl-C', async () => {
    const { cli } = await startRun();
    cli.process.kill('SIGTERM');
    expect(await cli.ended).toBe(130);
    expect(cli.output.stderr).toContain('longrun runs resume r');
  });

  it('prints a command that keeps --output and --fail-under', async () => {
    const output = join(await temporaryFolder(), 'the results');
    const { cli } = await startRun('--output', output, '--fail-under', '0.5');
    cli.process.kill('SIGINT');
    expect(await cli.ended).toBe(130);
    expect(cli.output.stderr).toMatch(
      /^ {2}longrun evaluate \S+ .*--run-id r --output '.*the results' --fail-under 0\.5$/m,
    );
  });

  it('ends runs watch --json with the id of the run, which goes on', async () => {
    const { env } = await startRun('--model', 'scripted/turns-60-delay-100ms');
    const watcher = startLongrun(['runs', 'watch', 'r', '--json'], env);
    await watcher.says('[1/2]');
    watcher.process.kill('SIGINT');
    expect(await watcher.ended).toBe(130);
    expect(JSON.parse(watcher.output.stdout)).toEqual({ run: { run_id: 'r', status: 'running' } });
  });

  it('ends evaluate --json with the id of the run while an endpoint does not answer', async () => {
    let asked = false;
    const silent = createServer(() => {
      asked = true;
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/v1`;
    const argv = ['evaluate', 'tblite', '--model', 'm', '--base-url', url, '--run-id', 'r', '--json'];
    const cli = startLongrun(argv, { LONGRUN_HOME: await temporaryStateDir(), OPENAI_API_KEY: 'unused' });
    await until(() => asked, { what: 'the endpoint is asked' });
    cli.process.kill('SIGINT');
    expect(await cli.ended).toBe(130);
    expect(JSON.parse(cli.output.stdout)).toEqual({ run: { run_id: 'r', status: 'interrupted' } });
  });
});
