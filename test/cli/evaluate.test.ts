import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { longrun } from './support/longrun.js';
import { writeTask } from './support/tasks.js';

describe('longrun evaluate, on a real server with in-memory sandboxes', () => {
  let folder: string;
  let env: NodeJS.ProcessEnv;
  let tasks: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'longrun-evaluate-'));
    tasks = join(folder, 'tasks');
    env = { LONGRUN_HOME: join(folder, 'state') };
    writeTask(tasks, 'apple');
    writeTask(tasks, 'pear');
  });
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const evaluate = (...argv: string[]) => longrun(['evaluate', tasks, '--sandbox', 'memory', ...argv], env);

  it('solves tasks, shows progress on standard error and the scoreboard on standard output', async () => {
    const { code, stdout, stderr } = await evaluate(
      '--agent',
      'oracle',
      '--run-id',
      'solved',
      '--samples',
      '2',
    );
    expect(stderr).toMatch(/\[4\/4\] passed/);
    expect(stdout).toMatch(/pass@1 +100\.0 %/);
    expect(stdout).toContain('longrun runs show solved');
    expect(code).toBe(0);
  });

  it('answers the same document as runs show --json, and nothing else on standard output', async () => {
    const evaluated = await evaluate('--agent', 'oracle', '--run-id', 'solved', '--samples', '2', '--json');
    expect(evaluated.code).toBe(0);
    const document = evaluated.json();
    expect(document.summary).toMatchObject({
      n_rollouts: 4,
      n_scored: 4,
      n_infrastructure: 0,
      mean_reward: 1,
    });
    expect(document.rollouts[0]).toMatchObject({
      rollout_id: 'solved/apple/0',
      task_id: 'apple',
      sample: 0,
      reward: 1,
      stop_reason: 'natural',
      failure_class: 'agent',
    });
    expect((await longrun(['runs', 'show', 'solved', '--json'], env)).json()).toEqual(document);
  });

  it('finds a finished run by its id instead of running it again', async () => {
    const { code, stderr } = await evaluate('--agent', 'oracle', '--run-id', 'solved', '--samples', '2');
    expect(code).toBe(0);
    expect(stderr).toContain('Run solved is there already');
    expect(stderr).not.toContain('passed  apple/0');
  });

  it('refuses the id of a run with other settings, naming them', async () => {
    const { code, stderr } = await evaluate('--agent', 'oracle', '--run-id', 'solved', '--samples', '3');
    expect(code).toBe(2);
    expect(stderr).toContain('samples was 2, now 3');
  });

  it('exits with 3 below --fail-under', async () => {
    const { code, stderr, stdout } = await evaluate(
      '--agent',
      'nop',
      '--run-id',
      'failed',
      '--fail-under',
      '0.5',
    );
    expect(code).toBe(3);
    expect(stdout).toMatch(/pass@1 +0\.0 %/);
    expect(stderr).toContain('below --fail-under 0.5');
  });

  it("writes Harbor's job layout where asked", async () => {
    const output = join(folder, 'jobs');
    expect((await evaluate('--agent', 'nop', '--run-id', 'failed', '--output', output)).code).toBe(0);
    expect(existsSync(join(output, 'failed', 'result.json'))).toBe(true);
    expect(readdirSync(join(output, 'failed')).filter((name) => name.includes('__'))).toHaveLength(2);
  });

  it('says that --detach needs a worker, and leaves no run behind', async () => {
    const { code, stderr } = await evaluate('--agent', 'nop', '--run-id', 'nobody', '--detach');
    expect(code).toBe(1);
    expect(stderr).toContain('no worker is running');
    expect(stderr).toContain('longrun up');
    expect((await longrun(['runs', 'show', 'nobody'], env)).code).toBe(1);
  });

  it('lists its runs, newest first', async () => {
    const { stdout } = await longrun(['runs', 'list'], env);
    expect(
      stdout
        .split('\n')
        .slice(1, 3)
        .map((line) => line.split(/ +/).slice(0, 3)),
    ).toEqual([
      ['failed', 'finished', 'evaluate'],
      ['solved', 'finished', 'evaluate'],
    ]);
    const { runs } = (await longrun(['runs', 'list', '--json', '--limit', '1'], env)).json();
    expect(runs).toEqual([
      expect.objectContaining({ run_id: 'failed', mode: 'evaluate', n_done: 2, pass_at_1: 0 }),
    ]);
  });

  it('shows a rollout to read', async () => {
    const { code, stdout } = await longrun(['rollouts', 'show', 'solved/apple/0'], env);
    expect(code).toBe(0);
    expect(stdout).toContain('Write apple into /app/answer.');
    const document = (await longrun(['rollouts', 'show', 'solved/apple/0', '--json'], env)).json();
    expect(document).toMatchObject({ rollout_id: 'solved/apple/0', result: { reward: 1 } });
  });

  it('stops its server and its worker when it leaves', async () => {
    expect((await longrun(['down'], env)).stdout).toContain('Nothing is running');
  });

  it('counts a run in which nothing was scored as an error, with the reason', async () => {
    const broken = join(folder, 'broken');
    writeTask(broken, 'unbuildable', { 'environment/Dockerfile': 'FROM debian:bookworm-slim\nRUN exit 7\n' });
    const argv = ['evaluate', broken, '--agent', 'nop', '--sandbox', 'memory', '--run-id', 'broken'];
    const { code, stderr, json } = await longrun([...argv, '--json'], env);
    expect(json().rollouts[0]).toMatchObject({ reward: null, stop_reason: 'provision_error', attempt: 1 });
    expect(stderr).toContain('Nothing was scored: ');
    expect(code).toBe(1);
  });

  it('checks tasks by their own solutions', async () => {
    const mixed = join(folder, 'mixed');
    writeTask(mixed, 'plum');
    writeTask(mixed, 'quince', { 'solution/solve.sh': '#!/bin/bash\necho wrong > /app/answer\n' });
    const argv = ['tasks', 'validate', mixed, '--oracle', '--sandbox', 'memory'];
    const { code, stdout, stderr } = await longrun(argv, env);
    expect(code).toBe(2);
    expect(stderr).toMatch(/run as (\S+): longrun runs show \1$/m);
    expect(stdout).toMatch(/✔ plum/);
    expect(stdout).toMatch(/✘ quince\n.*its solution does not pass its tests/);
  });
});
