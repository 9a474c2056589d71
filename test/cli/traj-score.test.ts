import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockOutput } from '../../src/cli/output-lock.js';
import { type Episode, episodeSchema } from '../../src/core/trajectory/episode.schema.js';
import { fromWire } from '../../src/store/wire/wire.js';
import { episodeOf, signal } from '../core/reward/episode-of.js';
import { modelServer } from '../support/model-run.js';
import { says } from '../support/model-server.js';
import { temporaryFolder } from '../support/state.js';
import { episodeFile } from './support/episode-file.js';
import { type CliAnswer, longrun } from './support/longrun.js';

const call = (ok: boolean) => ({ name: 'terminal', args: { command: 'make' }, ok });

/** Three that can be judged, and one that infrastructure lost. */
const EPISODES = [
  episodeOf([{ says: 'good work', calls: [call(true)] }], {
    sessionId: 'a',
    rewards: [signal('environment', 1)],
  }),
  episodeOf([{ says: 'bad work', calls: [call(true), call(false)] }], { sessionId: 'b' }),
  episodeOf([{ says: 'mute work' }], { sessionId: 'c' }),
  episodeOf([], {
    sessionId: 'd',
    outcome: {
      ...episodeOf([{}]).outcome,
      stopReason: 'sandbox_lost',
      failureClass: 'infrastructure',
      completed: false,
    },
  }),
];

async function lines(path: string): Promise<Episode[]> {
  const text = await readFile(path, 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => fromWire(episodeSchema, JSON.parse(line)));
}

/** A folder with the input and a program that scores good work 0.9, bad work 0.2, and is silent on the mute. */
async function workplace() {
  const folder = await temporaryFolder();
  const input = await episodeFile(join(folder, 'in.jsonl'), EPISODES);
  const model = join(folder, 'reward');
  await writeFile(
    model,
    `#!${process.execPath}
const { appendFileSync } = require('node:fs');
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, messages } = JSON.parse(line);
  const text = JSON.stringify(messages);
  appendFileSync(${JSON.stringify(join(folder, 'asked'))}, id + '\\n');
  console.log(JSON.stringify(text.includes('mute') ? { id, error: 'no opinion' } : { id, score: text.includes('good') ? 0.9 : 0.2 }));
});
`,
  );
  await chmod(model, 0o755);
  const output = join(folder, 'scored.jsonl');
  const score = (...argv: string[]): Promise<CliAnswer> => longrun(['traj', 'score', ...argv]);
  const asked = async (): Promise<number> =>
    (await readFile(join(folder, 'asked'), 'utf8').catch(() => '')).split('\n').length - 1;
  return { folder, input, model, output, score, asked };
}

describe('longrun traj score', () => {
  it('as the guide has it: the folder of a benchmark run, a local reward model, an output folder', async () => {
    const { folder, input, model, score } = await workplace();
    const bench = join(folder, 'swe_bench_run_1/');
    const checkpoint = join(folder, 'reward_model.ckpt');
    await rename(model, checkpoint);
    const made = await longrun(['traj', 'export', input, '--format', 'atropos-v1', '--output', bench]);
    expect(made.code).toBe(0);
    const out = join(folder, 'scored/');
    const { code, stderr } = await score('--input', bench, '--reward-model', checkpoint, '--output', out);
    expect(code).toBe(0);
    expect(stderr).toContain('2 of 3 rows have a new reward');
    const rows = await lines(join(out, 'scored.jsonl'));
    expect(rows.map(({ sessionId }) => sessionId)).toEqual(['a', 'b', 'c']);
    expect(rows[0]?.rewards.at(-1)).toMatchObject({
      source: 'reward_model',
      quality: 'medium',
      value: 0.9,
      shape: 'continuous',
      by: checkpoint,
    });
    // What scoring leaves beside its output is no input of the next command.
    expect((await longrun(['traj', 'stats', '--input', out, '--json'])).json()).toMatchObject({
      rows: 3,
      rejected: 0,
    });
  });

  it('leaves an output alone that another process scores: nothing is paid for twice', async () => {
    const { folder, input, model, output, asked } = await workplace();
    const command = ['traj', 'score', input, '--reward-model', model, '--output', output];
    const env = { LONGRUN_HOME: join(folder, 'state') };
    const lock = lockOutput(env.LONGRUN_HOME, output);
    const second = await longrun(command, env);
    lock.release();
    expect(second).toMatchObject({ code: 1 });
    expect(second.stderr).toContain(`process ${process.pid} of another terminal writes to ${output}`);
    expect(await asked()).toBe(0);
    expect(await longrun(command, env)).toMatchObject({ code: 0 });
  });

  it('loses no row for want of a score, says why there is none, and asks for no score of what infrastructure lost', async () => {
    const { input, model, output, score, asked } = await workplace();
    const answer = await score(input, '--reward-model', model, '--output', output, '--json');
    expect(answer.code).toBe(0);
    expect(answer.json()).toMatchObject({
      rows: 4,
      rewarded: 2,
      failed: 1,
      unscorable: 1,
      overruled: 1,
      asked: { scored: 2, reused: 0, failed: 1 },
    });
    expect(Object.keys(answer.json().reasons)[0]).toContain('no opinion');
    expect((await lines(output))[3]).toEqual(EPISODES[3]);
    expect(await asked()).toBe(3);
  });

  it('pays for a score once: another shape of the same output reuses it, and only failures are asked again', async () => {
    const { input, model, output, score, asked } = await workplace();
    await score(input, '--reward-model', model, '--output', output);
    const again = await score(
      ...[input, '--reward-model', model, '--output', output, '--force', '--json'],
      ...['--shape', 'binary', '--threshold', '0.9'],
    );
    expect(again.json().asked).toMatchObject({ scored: 0, reused: 2, failed: 1 });
    expect(await asked()).toBe(4);
    const rewards = (await lines(output)).map((row) => row.rewards.at(-1));
    expect(rewards[0]).toMatchObject({
      value: 1,
      shape: 'binary',
      components: { score: 0.9, threshold: 0.9 },
    });
    expect(rewards[1]).toMatchObject({ value: 0, shape: 'binary' });
    // Another version of the program is another reward model.
    await writeFile(model, `${await readFile(model, 'utf8')}// changed\n`);
    const changed = await score(input, '--reward-model', model, '--output', output, '--force', '--json');
    expect(changed.json().asked).toMatchObject({ scored: 2, reused: 0 });
  });

  it('exits with 1 when no row got a score, and with --strict when some did not', async () => {
    const { folder, input, model, output, score } = await workplace();
    const strict = await score(input, '--reward-model', model, '--output', output, '--strict');
    expect(strict.code).toBe(1);
    expect(await lines(output)).toHaveLength(4);
    const none = await score(input, '--reward-model', 'exit 7 #', '--output', join(folder, 'none.jsonl'));
    expect(none.code).toBe(1);
    expect(none.stderr).toMatch(/exit code 7/);
    expect(await lines(join(folder, 'none.jsonl'))).toHaveLength(4);
  });

  it('mixes what is known by weights, and records the parts', async () => {
    const { folder, input, model, output, score } = await workplace();
    const weights = join(folder, 'weights.yaml');
    await writeFile(weights, 'reward_model: 3\ntool_success: 1\nenvironment: { weight: 1, missing: 0 }\n');
    const { code, stderr } = await score(
      ...[input, '--reward-model', model, '--shape', 'composite', '--weights', weights],
      ...['--output', output, '--reward-order', 'reward_model'],
    );
    expect(code).toBe(0);
    const [good, bad] = await lines(output);
    expect(good?.rewards.at(-1)?.value).toBeCloseTo((3 * 0.9 + 1 + 1) / 5, 12);
    expect(bad?.rewards.at(-1)).toMatchObject({
      shape: 'composite',
      source: 'reward_model',
      parts: {
        reward_model: { value: 0.2, weight: 3 },
        tool_success: { value: 0.5, weight: 1, contribution: 0.1 },
        environment: { value: 0, weight: 1, contribution: 0 },
      },
    });
    expect(bad?.rewards.at(-2)).toMatchObject({ shape: 'continuous', value: 0.2 });
    expect(stderr).toContain('mean 0.58');
    // The scores stand in the rows: to weigh them anew, nobody is asked.
    await writeFile(weights, 'reward_model: 1\n');
    const again = join(folder, 'again.jsonl');
    await score(output, '--shape', 'composite', '--weights', weights, '--output', again);
    expect((await lines(again))[1]?.rewards.at(-1)).toMatchObject({ value: 0.2, shape: 'composite' });
  });

  it('writes agoge’s evaluated trajectories beside, where they are wanted', async () => {
    const { folder, input, model, output, score } = await workplace();
    await score(input, '--reward-model', model, '--output', output, '--evaluated');
    const text = await readFile(join(folder, 'scored.evaluated.traj.jsonl'), 'utf8');
    const rows = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows).toMatchObject([
      { schema_version: 1, judge_response: { success: 1, score: 0.9, rationale: '', judge_model: model } },
      { judge_response: { success: 0, score: 0.2 }, timesteps: [{ judge_response: null }] },
    ]);
    expect((await score(input, '--implicit', '--evaluated', '--output', join(folder, 'x.jsonl'))).code).toBe(
      2,
    );
  });

  it('adds what can be observed, once however often it is asked', async () => {
    const { folder, input, output, score } = await workplace();
    await score(input, '--implicit', '--output', output);
    const twice = join(folder, 'twice.jsonl');
    const { code } = await score(output, '--implicit', '--output', twice);
    expect(code).toBe(0);
    const [, second] = await lines(twice);
    expect(second?.rewards).toMatchObject([
      { source: 'implicit', quality: 'low', components: { turns: 1, tool_calls: 2, errors: 1, retries: 1 } },
    ]);
  });

  it('asks a judge that the settings name, with a rubric of one’s own', async () => {
    const { folder, input, output, score } = await workplace();
    const server = await modelServer(() => says('{"criteria": {"speed": 4}, "rationale": "brisk"}'));
    const rubric = join(folder, 'rubric.yaml');
    await writeFile(
      rubric,
      'instructions: Judge.\nscale: [1, 5]\ncriteria: [{ name: speed, description: Few turns. }]\n',
    );
    const settings = join(folder, 'settings.yaml');
    await writeFile(settings, `base_url: ${server.baseUrl}\ntrajectory:\n  reward_model: test-model\n`);
    const env = { LONGRUN_CONFIG: settings };
    const { code } = await longrun(['traj', 'score', input, '--rubric', rubric, '--output', output], env);
    expect(code).toBe(0);
    expect((await lines(output))[1]?.rewards).toMatchObject([
      { by: 'test-model', value: 0.75, note: 'brisk', components: { speed: 0.75 } },
    ]);
    expect(server.seen[0]?.messages[0]?.content).toContain('- speed: Few turns.');
    // What can be observed costs nothing, whatever the settings say.
    await longrun(['traj', 'score', input, '--implicit', '--output', join(folder, 'free.jsonl')], env);
    expect(server.seen).toHaveLength(3);
    expect((await score(input, '--output', output, '--force', '--reward-model', 'none')).code).toBe(2);
  });
});

describe('traj score refuses', () => {
  it.each<[string, string[], RegExp]>([
    ['to score with nothing', [], /nothing to score with/],
    ['an unknown shape', ['--shape', 'round'], /found "round", accepted: binary/],
    ['a threshold without binary', ['--threshold', '1'], /belongs to --shape binary/],
    ['a threshold that is no number', ['--shape', 'binary', '--threshold', 'x'], /found "x"/],
    ['composite without weights', ['--shape', 'composite'], /needs --weights/],
    ['an order of unknown sources', ['--implicit', '--reward-order', 'env'], /found "env"/],
    ['no concurrency', ['--reward-model', 'cat #', '--concurrency', '0'], /--concurrency: found "0"/],
    ['a missing rubric', ['--reward-model', 'm', '--rubric', '/no/rubric.md'], /--rubric: \/no\/rubric\.md/],
    ['a model without a key', ['--reward-model', 'gpt-x'], /OPENAI_API_KEY is not set/],
    ['a missing path', ['--reward-model', '/no/model.ckpt'], /there is no file \/no\/model\.ckpt/],
  ])('%s', async (_, argv, why) => {
    const { input, output, score } = await workplace();
    const { code, stderr } = await score(input, '--output', output, ...argv);
    expect(code).toBe(2);
    expect(stderr).toMatch(why);
    await expect(readFile(output)).rejects.toThrow();
  });

  it.each<[string, RegExp, RegExp]>([
    [
      'enviroment: 1',
      /no part of a reward is named "enviroment"/,
      /Did you mean environment\?.*tool_success/,
    ],
    ['environment: -1', /environment: found -1/, /missing/],
    ['- environment', /found no weights/, /./],
    ['reward_model.speed: 1', /the rubric has no criterion "speed"/, /outcome, process, honesty/],
  ])('the weights %j', async (text, why, hint) => {
    const { folder, input, output, score } = await workplace();
    const weights = join(folder, 'w.yaml');
    await writeFile(weights, text);
    const argv = ['--reward-model', 'm', '--base-url', 'http://127.0.0.1:1/v1', '--shape', 'composite'];
    const answer = await score(input, '--output', output, ...argv, '--weights', weights, '--json');
    expect(answer.code).toBe(2);
    expect(answer.json().error.message).toMatch(why);
    expect(answer.json().error.hint ?? answer.stderr).toMatch(hint);
  });

  it('to write over an earlier result', async () => {
    const { input, output, score } = await workplace();
    await score(input, '--implicit', '--output', output);
    expect((await score(input, '--implicit', '--output', output)).stderr).toContain('exists already');
  });
});
