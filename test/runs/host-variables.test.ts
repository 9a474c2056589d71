import { describe, expect, it } from 'vitest';
import { type FlagValues, mergeServeSettings, mergeSettings } from '../../src/config/merge-settings.js';
import { passedLines } from '../../src/runs/host-variables.js';
import { prepareRun } from '../../src/runs/prepare-run.js';
import { prepareServe } from '../../src/runs/prepare-serve.js';
import { writeRun } from '../../src/runs/write-run.js';
import { openStore } from '../../src/store/index.js';
import { temporaryStateDir } from '../support/state.js';
import { threat } from '../support/threat.js';
import { errorOf, writeTask } from '../tasks/support/task-folder.js';

/** Sandboxes of memory have no network. */
const ALONE = '\n[environment]\nnetwork_mode = "no-network"\n';
const JUDGED = { 'task.toml': '[verifier.env]\nJUDGE = "key ${JUDGE_KEY}"' } as const;

async function prepared(files: { 'task.toml': string }, flags: FlagValues = {}, env: NodeJS.ProcessEnv = {}) {
  const environment = await writeTask({ 'task.toml': files['task.toml'] + ALONE });
  const common = { environment, model: 'scripted/demo', sandbox: 'memory' };
  const { settings } = await mergeSettings({ ...common, ...flags }, { LONGRUN_CONFIG: '' });
  return prepareRun({ settings, env, longrunVersion: '0', now: () => 0 });
}

describe(threat('a task', 'variables of the host'), () => {
  it.each([
    ['[environment.env]', 'environment.env.X'],
    ['[verifier.env]', 'verifier.env.X'],
  ])('a run does not start whose task asks for one in %s without being given it', async (table, place) => {
    const error = await errorOf(
      prepared({ 'task.toml': `${table}\nX = "\${JUDGE_KEY}"` }, {}, { JUDGE_KEY: 'k' }),
    );
    expect(error).toMatchObject({ code: 'task_invalid', exitCode: 2 });
    expect(error.message).toContain(
      `task some-task asks for JUDGE_KEY in ${place}, which is not passed to tasks`,
    );
    expect(error.message).toContain('found ${JUDGE_KEY}; accepted: --pass-env JUDGE_KEY, or a default');
  });

  it('a run of solutions does not start either where a solution asks for one; another run needs none', async () => {
    const files = { 'task.toml': '[solution.env]\nX = "${JUDGE_KEY}"' };
    const error = await errorOf(prepared(files, { agent: 'oracle' }, { JUDGE_KEY: 'k' }));
    expect(error.message).toContain('solution.env.X');
    expect((await prepared(files)).run.config.passEnv).toEqual([]);
  });

  it('with the flag the run is prepared, records the names alone, and says which task is given what', async () => {
    const { run, warnings } = await prepared(
      JUDGED,
      { passEnv: ['JUDGE_KEY', 'NOT_ASKED_FOR'] },
      { JUDGE_KEY: 'sk-of-the-judge' },
    );
    expect(run.config.passEnv).toEqual(['JUDGE_KEY', 'NOT_ASKED_FOR']);
    expect(JSON.stringify(run)).not.toContain('sk-of-the-judge');
    expect(warnings).toEqual([
      'JUDGE_KEY is passed to task some-task.',
      '--pass-env NOT_ASKED_FOR: none of the tasks asks for it.',
    ]);
  });

  it('what reaches the network from there is said as well', async () => {
    const { run, tasks } = await prepared(JUDGED, { passEnv: ['JUDGE_KEY'] }, { JUDGE_KEY: 'k' });
    expect(passedLines(tasks, { ...run.config, network: 'public' })).toEqual([
      'JUDGE_KEY is passed to task some-task, with access to the network.',
    ]);
  });

  it('a default stands in for a variable that is not passed', async () => {
    const files = { 'task.toml': '[verifier.env]\nX = "${OPENAI_API_KEY:-none}"' };
    expect((await prepared(files, {}, { OPENAI_API_KEY: 'sk' })).warnings).toEqual([]);
  });

  it('one that is passed and not set is missed before the run starts', async () => {
    const error = await errorOf(prepared(JUDGED, { passEnv: ['JUDGE_KEY'] }));
    expect(error.message).toContain('JUDGE_KEY in verifier.env.JUDGE, which is not set');
  });

  it.each([
    'OPENAI_API_KEY',
    'UPLOAD_KEY',
    'AWS_SECRET_ACCESS_KEY',
    'TEMPORAL_API_KEY',
    'LONGRUN_TRAJECTORY',
  ])('%s, which is the run’s own, is refused by name though it is listed', async (name) => {
    const trajectory = JSON.stringify({ upload_api_key: 'env:UPLOAD_KEY' });
    const environment = await writeTask({ 'task.toml': JUDGED['task.toml'] + ALONE });
    const { settings } = await mergeSettings(
      { environment, model: 'scripted/demo', sandbox: 'memory', passEnv: ['JUDGE_KEY', name] },
      { LONGRUN_CONFIG: '', LONGRUN_TRAJECTORY: trajectory },
    );
    const env = { JUDGE_KEY: 'k', [name]: 'secret' };
    const error = await errorOf(prepareRun({ settings, env, longrunVersion: '0', now: () => 0 }));
    expect(error).toMatchObject({ code: 'bad_input', exitCode: 2, details: { found: name } });
    expect(error.message).toContain(`--pass-env: found "${name}"`);
    expect(error.hint).toContain('--api-key-env');
  });

  it('the token of the API is refused as well', async () => {
    const flags = {
      environment: await writeTask({ 'task.toml': ALONE }),
      model: 'scripted/demo',
      sandbox: 'memory',
    };
    const { settings } = await mergeServeSettings(
      { ...flags, listen: ':0', tokenEnv: 'THE_TOKEN', passEnv: ['THE_TOKEN'] },
      { LONGRUN_CONFIG: '' },
    );
    const stateDir = await temporaryStateDir();
    const options = { settings, stateDir, env: { THE_TOKEN: 'x' }, longrunVersion: '0', now: () => 0 };
    expect((await errorOf(prepareServe(options))).details).toEqual({ found: 'THE_TOKEN' });
  });

  it('a task that asks for the run’s own key is told so, whatever is listed', async () => {
    const files = { 'task.toml': '[verifier.env]\nX = "${OPENAI_API_KEY}"' };
    const error = await errorOf(prepared(files, {}, { OPENAI_API_KEY: 'sk' }));
    expect(error.message).toContain("is the run's own and is passed to no task");
  });
});

it('a run of before there was a list is carried on by the same command', async () => {
  const store = await openStore(await temporaryStateDir());
  const { run, tasks } = await prepared(JUDGED, { runId: 'old', passEnv: ['JUDGE_KEY'] }, { JUDGE_KEY: 'k' });
  await writeRun(store, { ...run, config: { ...run.config, passEnv: null } }, tasks);
  const again = await writeRun(store, run, tasks);
  expect(again).toMatchObject({ created: false, run: { config: { passEnv: null } } });
});
