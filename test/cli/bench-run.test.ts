import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Episode } from '../../src/core/trajectory/episode.schema.js';
import type { TurnTrace } from '../../src/formats/atropos-v1/turn-trace.schema.js';
import { makeFolder } from '../support/state.js';
import { all, inputsOf } from '../trajectories/support/folder.js';
import { type CliAnswer, longrun } from './support/longrun.js';

/** Reads episodes a line each, and finds all of them good. */
const REWARD_MODEL = `#!/usr/bin/env node
import { createInterface } from 'node:readline';
for await (const line of createInterface({ input: process.stdin }))
  console.log(JSON.stringify({ id: JSON.parse(line).id, score: 0.9 }));
`;

let folder: string;
let remove: () => Promise<void>;
let env: NodeJS.ProcessEnv;
let output: string;
let answer: CliAnswer;

/** The command block of the guide, with longrun for hermes, a model that needs no key and a sandbox that needs no engine. */
beforeAll(async () => {
  ({ folder, remove } = await makeFolder());
  env = { LONGRUN_HOME: join(folder, 'state') };
  output = join(folder, 'trajectories', 'tblite_run_1');
  const model = ['--model', 'scripted/demo', '--seed', '7'];
  const amount = ['--tasks', '3', '--samples', '2', '--concurrency', '5', '--run-id', 'bench'];
  answer = await longrun(
    ['bench', 'run', 'tblite', ...model, ...amount, '--backend', 'bubblewrap', '--output', output],
    env,
  );
});
afterAll(() => remove());

const traces = (name: string): TurnTrace[] =>
  readFileSync(join(output, name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as TurnTrace);
const files = () => readdirSync(output).filter((name) => name.startsWith('traj_'));

describe('longrun bench run', () => {
  it('is an evaluation: of that many tasks, with a scoreboard', () => {
    expect(answer.stderr).toContain(
      'Run bench: 3 tasks × 2 samples, bubblewrap sandboxes, at most 5 at once.',
    );
    expect(answer.stdout).toMatch(/pass@1/);
    expect(answer.code).toBe(0);
  });

  it('leaves a file for each rollout in the folder, judged by the tests, and says how many', () => {
    expect(files()).toHaveLength(6);
    expect(answer.stderr).toContain(`6 of 6 rollouts are recorded in ${output}.`);
    for (const name of files()) {
      const last = traces(name).at(-1);
      expect(name).toBe(`traj_${last?.session_id}.jsonl`);
      expect(last?.reward).toBeTypeOf('number');
      expect(last?.task_completed).toBe(last?.reward === 1);
    }
  });

  it('says in a manifest how they were made', () => {
    const manifest = JSON.parse(readFileSync(join(output, 'manifest_bench.json'), 'utf8'));
    expect(manifest).toMatchObject({
      format_version: 'atropos-v1',
      environment: 'tblite',
      counts: { rollouts: 6, written: 6 },
    });
  });

  it('puts nothing beside them: neither in the state folder nor in Harbor’s layout', () => {
    expect(existsSync(join(folder, 'state', 'trajectories'))).toBe(false);
    expect(readdirSync(output)).toHaveLength(7);
  });

  it('writes what the traj commands read', async () => {
    const episodes = await all(await inputsOf([output]));
    expect(episodes.map(({ sessionId }) => sessionId).sort()).toEqual(
      files().map((name) => name.slice('traj_'.length, -'.jsonl'.length)),
    );
    for (const episode of episodes) expect(episode.rewards).toMatchObject([{ source: 'environment' }]);
    expect(episodes.some(({ outcome }) => outcome.passed)).toBe(true);
  });

  it('is scored, filtered and exported by the commands of the guide', async () => {
    const program = join(folder, 'reward_model.mjs');
    writeFileSync(program, REWARD_MODEL, { mode: 0o755 });
    const [scored, filtered, merged] = ['scored/', 'filtered/', 'hermes_trajectories.jsonl'].map((name) =>
      join(folder, name),
    ) as [string, string, string];
    const lines = [
      ['traj', 'score', '--input', output, '--reward-model', program, '--output', scored],
      ['traj', 'filter', '--input', scored, '--min-reward', '0.7', '--min-turns', '3', '--output', filtered],
      ['traj', 'export', '--input', filtered, '--format', 'atropos-v1', '--output', merged],
    ];
    for (const line of lines) expect(await longrun(line, env)).toMatchObject({ code: 0 });
    const traces = readFileSync(merged, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as TurnTrace);
    const last = traces.filter((trace, i) => traces[i + 1]?.session_id !== trace.session_id);
    expect(last.length).toBeGreaterThan(0);
    expect(last.length).toBeLessThan(6);
    for (const { reward, turn_index } of last) {
      expect(reward).toBeGreaterThanOrEqual(0.7);
      expect(turn_index).toBeGreaterThanOrEqual(2);
    }
  });

  it.each([
    ['atif', /^bench__.*\.json$/],
    ['atropos-v1', /^traj_bench__.*\.jsonl$/],
  ])('is exported as %s, a file for each rollout, and read back from there', async (format, name) => {
    const to = join(folder, `as-${format}/`);
    const line = ['traj', 'export', '--input', output, '--format', format, '--output', to];
    expect(await longrun(line, env)).toMatchObject({ code: 0 });
    expect(readdirSync(to)).toHaveLength(6);
    for (const found of readdirSync(to)) expect(found).toMatch(name);
    const again = await all(await inputsOf([to]));
    const before = await all(await inputsOf([output]));
    const facts = (episodes: Episode[]) =>
      episodes.map(({ sessionId, turns, rewards }) => [sessionId, turns.length, rewards[0]?.value]).sort();
    expect(facts(again)).toEqual(facts(before));
  });

  it('leaves out what is too short, and says so', async () => {
    const config = join(folder, 'longrun.yaml');
    writeFileSync(config, 'trajectory: { min_turn_count: 50 }\n');
    const dir = join(folder, 'long-ones');
    const short = await longrun(
      [
        'bench',
        'run',
        'tblite',
        '--agent',
        'nop',
        '--tasks',
        '1',
        '--backend',
        'bubblewrap',
        '--output',
        dir,
        '--config',
        config,
      ],
      env,
    );
    expect(short.stderr).toContain(
      `0 of 1 rollouts are recorded in ${dir}; left out: 1 of fewer than 50 turns.`,
    );
    expect(readdirSync(dir)).toEqual([expect.stringMatching(/^manifest_/)]);
  });
});

describe('longrun bench run refuses', () => {
  it.each(['hermes_swe_env', 'terminalbench_2', 'yc_bench'])('%s, by name', async (name) => {
    const { code, stderr } = await longrun(['bench', 'run', name, '--model', 'scripted/demo'], env);
    expect(code).toBe(2);
    expect(stderr).toContain(name);
    expect(stderr).toContain('tblite');
  });

  it('a backend that there is not, and one that is given twice', async () => {
    const none = await longrun(['bench', 'run', 'tblite', '--backend', 'podman'], env);
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('--backend: found "podman", accepted: auto, docker, bubblewrap, memory');
    const two = await longrun(['bench', 'run', 'tblite', '--backend', 'memory', '--sandbox', 'memory'], env);
    expect(two.code).toBe(2);
    expect(two.stderr).toContain('--backend and --sandbox are the same setting');
  });
});
