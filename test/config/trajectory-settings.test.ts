import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { configFileJsonSchema } from '../../src/config/file-json-schema.js';
import { mergeSettings } from '../../src/config/merge-settings.js';
import { configReference } from '../../src/config/reference.js';
import { readUploadKey } from '../../src/config/upload-key.js';
import { runConfigSchema } from '../../src/core/run/run-config.schema.js';
import { recordingOf } from '../../src/runs/recording-of.js';
import { RUN_CONFIG } from '../support/run-config-defaults.js';
import { temporaryFolder } from '../support/state.js';

const LITERAL = 'nk-literal-key-81c2f0';

async function merged(text: string, env: NodeJS.ProcessEnv = {}) {
  const config = join(await temporaryFolder(), 'longrun.yaml');
  writeFileSync(config, text);
  return mergeSettings({ config }, env);
}
const refusal = (text: string): Promise<string> =>
  merged(text).then(
    () => expect.fail('was accepted'),
    (error: Error & { hint: string }) => `${error.message} ${error.hint}`,
  );

describe('trajectory: in the settings file', () => {
  it('has the defaults of the guide, less what would leave the machine', async () => {
    const { trajectory } = (await merged('')).settings;
    expect(trajectory).toEqual({
      enabled: true,
      outputDir: null,
      recordReasoning: true,
      recordToolCalls: true,
      recordSystemPrompt: false,
      minTurnCount: 2,
      requireToolCalls: false,
      rewardModel: null,
      autoUpload: false,
      uploadEndpoint: null,
      uploadApiKey: null,
    });
  });

  it('is read key by key, from the file and from LONGRUN_TRAJECTORY alike', async () => {
    const text =
      'trajectory:\n  min_turn_count: 3\n  output_dir: "~/trajectories"\n  upload_endpoint: https://example.org/t\n';
    const read = { minTurnCount: 3, outputDir: '~/trajectories', uploadEndpoint: 'https://example.org/t' };
    expect((await merged(text)).settings.trajectory).toMatchObject({ ...read, enabled: true });
    const env = { LONGRUN_TRAJECTORY: '{"min_turn_count": 4, "enabled": false}' };
    expect((await merged(text, env)).settings.trajectory).toMatchObject({ minTurnCount: 4, enabled: false });
  });

  it.each([
    [
      'min_turn_count: 0',
      /longrun\.yaml:2:3: trajectory: at min_turn_count: accepted: a whole number from 1/,
    ],
    ['enabled: sometimes', /at enabled: accepted: true or false/],
    ['upload_endpoint: ftp://x', /at upload_endpoint: accepted: an address that starts with http/],
    [
      'upload_endpoint: https://me:secret@x.org',
      /at upload_endpoint: accepted: an address without user name and password/,
    ],
    ['min_turn_cout: 2', /unknown setting "min_turn_cout"; did you mean "min_turn_count"\?/],
  ])('refuses %s by name, and repeats no secret', async (line, message) => {
    const said = await refusal(`trajectory:\n  ${line}\n  upload_api_key: ${LITERAL}\n`);
    expect(said).toMatch(message);
    expect(said).not.toContain(LITERAL);
    expect(said).not.toContain('secret@');
  });

  it('is in the reference and in the JSON Schema, each key', () => {
    const reference = configReference();
    for (const key of ['enabled', 'output_dir', 'min_turn_count', 'upload_api_key'])
      expect(reference).toContain(`\`trajectory.${key}\``);
    expect(reference).toContain('`agent.save_trajectories`');
    const check = z.fromJSONSchema(configFileJsonSchema() as Parameters<typeof z.fromJSONSchema>[0]);
    expect(check.safeParse({ trajectory: { min_turn_count: 3 } }).success).toBe(true);
    expect(check.safeParse({ trajectory: { min_turns: 3 } }).success).toBe(false);
    expect(check.safeParse({ agent: { name: 'oracle', save_trajectories: true } }).success).toBe(true);
    expect(check.safeParse({ agent: { save: true } }).success).toBe(false);
    expect(check.safeParse({ agent: 'oracle' }).success).toBe(true);
  });
});

describe('the key of the upload', () => {
  it('stays out of the run’s record, and a literal one is warned of', async () => {
    const { settings, warnings } = await merged(`trajectory:\n  upload_api_key: ${LITERAL}\n`);
    expect(warnings).toEqual([expect.stringContaining('env:NAME or file:PATH')]);
    expect(JSON.stringify([recordingOf(settings.trajectory, {}), warnings])).not.toContain(LITERAL);
    expect((await merged('trajectory:\n  upload_api_key: env:KEY\n')).warnings).toEqual([]);
  });

  it('is read where the reference says', async () => {
    const path = join(await temporaryFolder(), 'key');
    writeFileSync(path, 'from-file\n');
    expect(await readUploadKey(`file:${path}`, {})).toBe('from-file');
    expect(await readUploadKey('env:KEY', { KEY: 'from-env' })).toBe('from-env');
    expect(await readUploadKey(LITERAL, {})).toBe(LITERAL);
    expect(await readUploadKey(null, {})).toBeNull();
    await expect(readUploadKey('env:KEY', {})).rejects.toThrow(/KEY is not set/);
    await expect(readUploadKey('file:/no/such', {})).rejects.toThrow(/\/no\/such cannot be read/);
  });
});

describe('agent: in the settings file', () => {
  it('is a name, or a mapping that has one', async () => {
    expect((await merged('agent: oracle\n')).settings).toMatchObject({
      agent: 'oracle',
      saveTrajectories: false,
    });
    for (const key of ['name', 'kind'])
      expect((await merged(`agent: { ${key}: nop, save_trajectories: true }\n`)).settings).toMatchObject({
        agent: 'nop',
        saveTrajectories: true,
      });
    const { settings } = await merged('agent:\n  save_trajectories: true\n');
    expect(settings).toMatchObject({ agent: 'tool-calling', saveTrajectories: true });
  });

  it.each([
    ['agent: { save_trajectory: true }', /1:10: unknown setting "agent.save_trajectory".*save_trajectories/],
    ['agent: { name: nop, kind: nop }', /named twice/],
    ['agent: { name: robot }', /found "robot", accepted: tool-calling, oracle, nop/],
    [
      'agent: { save_trajectories: maybe }',
      /agent\.save_trajectories: found "maybe", accepted: true or false/,
    ],
    [
      'save_trajectories: true',
      /not a setting of the file.*--save-trajectories, or as agent\.save_trajectories/,
    ],
  ])('refuses %s by name', async (text, message) => {
    expect(await refusal(`${text}\n`)).toMatch(message);
  });
});

it('a run says how it is recorded; one of an older version is recorded as by default', () => {
  const { trajectory: _later, ...older } = RUN_CONFIG;
  expect(runConfigSchema.parse(older)).toEqual(RUN_CONFIG);
});

it('the folder is absolute in the record, with the home of the person', () => {
  const settings = { ...RUN_CONFIG.trajectory, uploadApiKey: null };
  const dir = (outputDir: string) => recordingOf({ ...settings, outputDir }, { HOME: '/home/me' }).outputDir;
  expect(dir('~/t')).toBe('/home/me/t');
  expect(dir('/t')).toBe('/t');
  expect(dir('t')).toBe(join(process.cwd(), 't'));
});

it('an upload without an address is refused before anything runs', () => {
  const settings = { ...RUN_CONFIG.trajectory, uploadApiKey: null, autoUpload: true };
  expect(() => recordingOf(settings, {})).toThrow(/auto_upload has nowhere to upload to/);
});
