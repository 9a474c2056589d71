import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { livingHosts } from '../../src/machine/host-lock.js';
import { freePort } from '../../src/machine/ports.js';
import { temporaryFolder, temporaryStateDir } from '../support/state.js';
import { until } from '../support/until.js';
import { longrun } from './support/longrun.js';
import { startLongrun } from './support/process.js';
import { writeTask } from './support/tasks.js';

// biome-ignore lint/suspicious/noExplicitAny: a document as it came.
async function ask(port: number, path: string): Promise<{ status: number; body: any } | null> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: response.status, body: await response.json() };
  } catch {
    return null;
  }
}

/** Waits for a readiness; says what the last answer was when it never comes. */
async function answers(port: number, status: number) {
  let last: Awaited<ReturnType<typeof ask>> = null;
  const so = async () => {
    last = await ask(port, '/readyz');
    return last?.status === status;
  };
  await until(so).catch(() => expect.fail(`no ${status} but ${JSON.stringify(last)}`));
}

describe('longrun worker', () => {
  it.each([
    [['--role', 'boss'], 'orchestrator, host, all'],
    [['--host-id', '../etc'], 'letters, digits'],
    [['--capacity', 'docker'], 'a whole number of at least 1'],
    [['--capacity', 'dcoker=3'], 'docker, bubblewrap, memory'],
    [['--capacity', 'docker=0'], 'a whole number of at least 1'],
    [['--capacity', '4', '--role', 'orchestrator'], 'holds no sandboxes'],
    [['--processes', '0'], 'from 1 to 100'],
    [['--processes', '3', '--capacity', '2'], 'cannot be shared'],
    [['--health-port', '70000'], 'from 1 to 65535'],
    [['--drain-timeout', 'soon'], '90s, 10m, 2h'],
  ])('refuses %j by name', async (flags, accepted) => {
    const { code, json } = await longrun(['worker', ...flags, '--json'], {
      LONGRUN_HOME: await temporaryStateDir(),
    });
    expect(code).toBe(2);
    expect(json().error.message).toContain(flags[0]);
    expect(json().error.message).toContain(accepted);
  });

  it('refuses a health port that is taken, and variables by their name', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const env = { LONGRUN_HOME: await temporaryStateDir() };
    const busy = await longrun(['worker', '--health-port', String(port), '--json'], env);
    expect(busy.code).toBe(2);
    expect(busy.json().error.message).toContain(`port ${port} is in use`);
    const variable = await longrun(['worker', '--json'], { ...env, LONGRUN_DRAIN_TIMEOUT: '-1' });
    expect(variable.code).toBe(2);
    expect(variable.json().error.message).toContain('LONGRUN_DRAIN_TIMEOUT: found "-1"');
  });

  it('says what it is on its health port, in longrun hosts, and goodbye when it is asked to stop', async () => {
    const env = { LONGRUN_HOME: await temporaryStateDir() };
    const port = await freePort();
    const worker = startLongrun(
      ['worker', '--host-id', 'box', '--capacity', 'memory=7', '--health-port', String(port), '--json'],
      env,
    );
    await answers(port, 200);
    expect(await ask(port, '/healthz')).toEqual({ status: 200, body: { status: 'ok' } });
    expect((await ask(port, '/readyz'))?.body).toMatchObject({
      status: 'ready',
      host_id: 'box',
      role: 'all',
      capacity: { memory: 7 },
      live: { memory: 0 },
      draining: false,
      checks: { workers: null, temporal: null, store: null, engine: null },
    });
    expect((await ask(port, '/else'))?.status).toBe(404);
    expect(JSON.parse(worker.output.stdout)).toMatchObject({ host_id: 'box', state_dir: env.LONGRUN_HOME });
    const hosts = await longrun(['hosts', '--json'], env);
    expect(hosts.json().hosts).toMatchObject([{ host_id: 'box', state: 'working', capacity: { memory: 7 } }]);
    expect((await longrun(['hosts'], env)).stdout).toMatch(/^box +working +all .*memory 0\/7/m);

    worker.process.kill('SIGTERM');
    expect(await worker.ended).toBe(0);
    expect((await longrun(['hosts', '--json'], env)).json().hosts).toMatchObject([
      { host_id: 'box', state: 'left' },
    ]);
  });

  it('is not ready while Temporal is away, and alive all the same', async () => {
    const env = { LONGRUN_HOME: await temporaryStateDir() };
    const port = await freePort();
    const up = startLongrun(['up'], env);
    await up.says('is ready');
    // Its own process keeps the server of the state folder: the second one is only told the address.
    const address = /Temporal at ([^)]+)\)/.exec(up.output.stderr)?.[1] as string;
    const worker = startLongrun(
      ['worker', '--host-id', 'far', '--role', 'host', '--health-port', String(port)],
      { ...env, TEMPORAL_ADDRESS: address },
    );
    await worker.says('is ready');
    await answers(port, 200);
    up.process.kill('SIGTERM');
    expect(await up.ended).toBe(0);
    await answers(port, 503);
    expect((await ask(port, '/readyz'))?.body.checks).toMatchObject({
      store: null,
      temporal: expect.any(String),
    });
    expect((await ask(port, '/healthz'))?.status).toBe(200);
  });
});

describe('longrun worker --processes', () => {
  async function serving(processes: number) {
    const stateDir = await temporaryStateDir();
    const env = { LONGRUN_HOME: stateDir };
    const port = await freePort();
    const flags = ['--processes', String(processes), '--capacity', 'memory=5', '--health-port', String(port)];
    const supervisor = startLongrun(['worker', ...flags], env);
    await supervisor.says(`${processes} workers are ready`);
    const children = () => livingHosts(stateDir).filter(({ lock }) => lock.info.supervised);
    return { env, port, supervisor, children };
  }

  it('shares the capacity among hosts of their own, starts again what dies, and stops all of them', async () => {
    const { env, port, supervisor, children } = await serving(2);
    await answers(port, 200);
    const ready = await ask(port, '/readyz');
    const capacities = ready?.body.workers.map(
      (worker: { capacity: { memory: number } }) => worker.capacity.memory,
    );
    expect(capacities).toEqual([3, 2]);

    const [victim] = children();
    process.kill(victim?.lock.holder.pid as number, 'SIGKILL');
    await supervisor.says('it is started again');
    await until(() => children().length === 2, { what: 'both workers live' });
    const living = children().map(({ lock }) => lock.holder.pid);
    expect(living).not.toContain(victim?.lock.holder.pid);

    const tasks = await temporaryFolder();
    writeTask(tasks, 'apple');
    const run = await longrun(
      ['evaluate', tasks, '--model', 'scripted/turns-3', '--sandbox', 'memory', '--samples', '6', '--json'],
      env,
    );
    expect(run.json().summary).toMatchObject({ n_rollouts: 6, n_scored: 6 });

    expect((await longrun(['down'], env)).code).toBe(0);
    expect(await supervisor.ended).toBe(0);
    expect(children()).toEqual([]);
  });

  it('leaves no worker behind when the supervisor is killed', async () => {
    const { supervisor, children } = await serving(2);
    supervisor.process.kill('SIGKILL');
    await supervisor.ended;
    await until(() => children().length === 0, { what: 'the workers have noticed' });
  });

  it('says what keeps its workers from starting, and ends', async () => {
    const env = { LONGRUN_HOME: await temporaryStateDir(), TEMPORAL_ADDRESS: '127.0.0.1:1' };
    const supervisor = startLongrun(['worker', '--processes', '2', '--json'], env);
    expect(await supervisor.ended).toBe(1);
    expect(JSON.parse(supervisor.output.stdout).error.code).toBe('temporal_unreachable');
  });
});
