import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mergeCommonSettings, mergeSettings } from '../../src/config/merge-settings.js';
import type { LongrunError } from '../../src/core/errors.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longrun-config-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = (text: string): string => {
  const path = join(folder, 'longrun.yaml');
  writeFileSync(path, text);
  return path;
};
const refusal = async (flags: Parameters<typeof mergeSettings>[0], env = {}): Promise<LongrunError> =>
  mergeSettings(flags, env).then(
    () => expect.fail('was accepted'),
    (error) => error,
  );

describe('merging of settings', () => {
  it('takes flags over the environment, the environment over the file, the file over defaults', async () => {
    const config = file('samples: 2\nmodel: from-file\nmax_turns: 7\nconcurrency: 3\n');
    const env = { LONGRUN_SAMPLES: '4', LONGRUN_MODEL: 'from-environment' };
    const { settings, origins } = await mergeSettings({ config, samples: '5' }, env);
    expect(settings).toMatchObject({
      samples: 5,
      model: 'from-environment',
      maxTurns: 7,
      concurrency: 3,
      maxAttempts: 3,
    });
    expect(origins).toMatchObject({
      samples: 'flag',
      model: 'environment',
      maxTurns: 'file',
      maxAttempts: 'default',
    });
  });

  it('reads numbers, lists and maps from every source', async () => {
    const config = file('task: "file-*"\nprices:\n  my_model: { input: 1, cached_input: 0.5, output: 2 }\n');
    const fromFile = await mergeSettings({ config }, {});
    expect(fromFile.settings.task).toEqual(['file-*']);
    expect(fromFile.settings.prices).toEqual({ my_model: { input: 1, cachedInput: 0.5, output: 2 } });
    const fromEnv = await mergeSettings(
      {},
      { LONGRUN_TASK: 'a, b', LONGRUN_HISTORY_LIMITS: '{"observation":5}' },
    );
    expect(fromEnv.settings.task).toEqual(['a', 'b']);
    expect(fromEnv.settings.historyLimits).toEqual({ observation: 5 });
    const fromFlags = await mergeSettings({ task: ['x', 'y'], temperature: '0.7', budgetUsd: '1e-2' }, {});
    expect(fromFlags.settings).toMatchObject({ task: ['x', 'y'], temperature: 0.7, budgetUsd: 0.01 });
  });

  it('lets a null in the file open a setting again', async () => {
    expect((await mergeSettings({ config: file('seed: null\n') }, {})).settings.seed).toBeNull();
  });

  it('treats an empty environment variable as not set', async () => {
    expect((await mergeSettings({}, { LONGRUN_SAMPLES: '' })).settings.samples).toBe(1);
  });

  it('takes the state folder from LONGRUN_HOME', async () => {
    expect((await mergeSettings({}, { LONGRUN_HOME: '/x' })).settings.stateDir).toBe('/x');
  });

  it('warns of a mistyped environment variable', async () => {
    const { warnings } = await mergeSettings({}, { LONGRUN_SAMPELS: '4', LONGRUN_SKIP_TIERS: 'sandbox' });
    expect(warnings).toEqual([expect.stringContaining('LONGRUN_SAMPELS')]);
    expect(warnings[0]).toContain('LONGRUN_SAMPLES');
  });
});

describe('a value that cannot be used', () => {
  it('names the flag, what was found and what is accepted', async () => {
    const error = await refusal({ samples: 'many' });
    expect(error).toMatchObject({ code: 'bad_input', exitCode: 2 });
    expect(error.message).toBe('--samples: found "many", accepted: a whole number from 1 to 1000.');
  });

  it('names the environment variable', async () => {
    expect((await refusal({}, { LONGRUN_AGENT: 'orcale' })).message).toBe(
      'LONGRUN_AGENT: found "orcale", accepted: tool-calling, oracle, nop (did you mean "oracle"?).',
    );
  });

  it('names file, line and column', async () => {
    const config = file('model: x\n\nsandbox: podman\n');
    expect((await refusal({ config })).message).toBe(
      `${config}:3:10: sandbox: found "podman", accepted: auto, docker, bubblewrap, memory.`,
    );
  });

  it('names the entry of a list, without the value of a variable', async () => {
    expect((await refusal({ passEnv: ['JUDGE_KEY', 'OTHER=sk-secret'] })).message).toBe(
      '--pass-env: found "OTHER=…", accepted: names of environment variables.',
    );
    const config = file('pass_env: [A, 9]\n');
    expect((await refusal({ config })).message).toBe(
      `${config}:1:11: pass_env: found "9", accepted: names of environment variables.`,
    );
  });

  it('names the path within a map', async () => {
    const config = file('prices:\n  m: { input: cheap, output: 1 }\n');
    expect((await refusal({ config })).message).toContain(`${config}:2:3: prices: at m.input: `);
  });

  it('names an unknown key within a map', async () => {
    const config = file('prices:\n  m: { input: 1, cached: 1, output: 1 }\n');
    expect((await refusal({ config })).message).toContain('prices: at m: Unrecognized key: "cached"');
  });

  it('lists every problem at once', async () => {
    const error = await refusal({ samples: '0', failUnder: '2', baseUrl: 'localhost' });
    expect(error.message.split('\n')).toHaveLength(4);
    expect(error.message).toContain('--fail-under: found "2", accepted: a number from 0 to 1');
    expect(error.message).toContain('--base-url: found "localhost", accepted: an address');
  });

  it.each([
    ['sampels: 3\n', ':1:1: unknown setting "sampels"', 'Did you mean "samples"?'],
    ['model: x\nmax-turns: 3\n', ':2:1: unknown setting "max-turns"', 'Did you mean "max_turns"?'],
    ['json: true\n', ':1:1: "json" is not a setting of the file', 'Give it on the command line: --json.'],
    ['zzzzzzzzzz: 1\n', ':1:1: unknown setting "zzzzzzzzzz"', 'Accepted are: environment, model'],
    ['model: [a\n', ':2:1: ', 'The settings file must be valid YAML.'],
    ['- a\n', ': found something other than "key: value" lines', 'Write one setting per line'],
    ['samples: 1\nsamples: 2\n', ':2:1: ', 'The settings file must be valid YAML.'],
  ])('refuses %j with its position and a hint', async (text, message, hint) => {
    const config = file(text);
    const error = await refusal({ config });
    expect(error.message).toContain(config + message);
    expect(error.hint).toContain(hint);
    expect(error.exitCode).toBe(2);
  });

  it('says that a settings file that was asked for is not there', async () => {
    const error = await refusal({ config: join(folder, 'none.yaml') });
    expect(error.message).toContain('none.yaml cannot be read: there is no such file');
  });
});

describe('the settings of commands that run nothing', () => {
  it.each([
    ['a value that is refused', 'samples: none\nstate_dir: /kept\n'],
    ['a setting that is unknown', 'smaples: 3\nstate_dir: /kept\n'],
  ])('come from a file with %s', async (_what, text) => {
    const { settings, warnings } = await mergeCommonSettings({}, { LONGRUN_CONFIG: file(text) });
    expect([settings.stateDir, warnings]).toEqual(['/kept', []]);
  });

  it.each([
    ['is not YAML', 'samples: [\n', 'not valid YAML'],
    ['names no folder', 'state_dir: 7\n', 'state_dir was ignored'],
  ])('are the defaults with a warning where the file %s', async (_what, text, warning) => {
    const { settings, warnings } = await mergeCommonSettings({}, { LONGRUN_CONFIG: file(text) });
    expect([settings.stateDir, warnings]).toEqual([null, [expect.stringContaining(warning)]]);
  });

  it('are checked where they come from flags and variables', async () => {
    await expect(mergeCommonSettings({ logLevel: 'loud' }, {})).rejects.toMatchObject({ code: 'bad_input' });
    const { settings } = await mergeCommonSettings({}, { LONGRUN_HOME: '/here', LONGRUN_SAMPLES: 'many' });
    expect(settings.stateDir).toBe('/here');
  });
});
