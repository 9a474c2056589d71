import { existsSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder, temporaryStateDir } from '../support/state.js';
import { startServerOfVersion } from '../temporal/old-server.js';
import { type CliAnswer, longrun } from './support/longrun.js';
import { writeTask } from './support/tasks.js';

/** One clear sentence, a hint, the right exit code, and nothing written. */
async function refused(
  argv: string[],
  env: NodeJS.ProcessEnv = {},
): Promise<CliAnswer & { hint: string; message: string }> {
  const stateDir = await temporaryStateDir();
  const answer = await longrun([...argv, '--json'], { LONGRUN_HOME: stateDir, ...env });
  const { message, hint } = answer.json().error;
  expect(answer.stderr).toMatch(/^error: /m);
  expect(hint).toBeTruthy();
  expect(existsSync(join(stateDir, 'store', 'runs'))).toBe(false);
  return { ...answer, message, hint };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const ORACLE = ['--agent', 'oracle', '--sandbox', 'memory'];

describe('bad input: the model', () => {
  it('that is not given', async () => {
    const { code, message } = await refused(['evaluate', 'tblite']);
    expect(code).toBe(2);
    expect(message).toContain('needs a model');
  });

  it('that the endpoint does not serve', async () => {
    const port = await listen(createServer((_, response) => response.end('{"data":[{"id":"small-model"}]}')));
    const url = `http://127.0.0.1:${port}/v1`;
    const { code, message, hint } = await refused([
      'evaluate',
      'tblite',
      '--model',
      'smal-model',
      '--base-url',
      url,
    ]);
    expect(code).toBe(2);
    expect(message).toContain('serves no model "smal-model"');
    expect(hint).toContain('small-model');
  });

  it('whose key is missing', async () => {
    const { code, message, hint } = await refused([
      'evaluate',
      'tblite',
      '--model',
      'gpt-5',
      '--api-key-env',
      'NO_SUCH_KEY',
    ]);
    expect(code).toBe(2);
    expect(message).toContain('NO_SUCH_KEY is not set');
    expect(hint).toContain('--api-key-env');
  });

  it('whose endpoint does not answer', async () => {
    const argv = ['evaluate', 'tblite', '--model', 'm', '--base-url', 'http://127.0.0.1:1/v1'];
    const { code, message } = await refused(argv);
    expect(code).toBe(1);
    expect(message).toContain('127.0.0.1:1');
  });

  it.each([
    [['--token-api', 'chat', '--model', 'scripted/demo'], 'scripted/demo samples no tokens'],
    [['--token-api', 'vllm'], "needs the model's tokenizer"],
    [['--tokenizer', '/nowhere'], '--tokenizer is for --token-api vllm, sglang and tinker'],
    [
      ['--token-api', 'sglang', '--tokenizer', '/nowhere'],
      '--tokenizer: /nowhere/tokenizer.json cannot be read',
    ],
    [['--token-api', 'tinker', '--tokenizer', '/nowhere'], 'needs --max-tokens'],
    [['--token-api', 'vllm', '--tokenizer', '/nowhere', '--tool-call-parser', 'none'], 'come in the text'],
    [['--token-api', 'ids'], '--token-api: found "ids", accepted: none, chat, vllm, sglang, tinker'],
  ])('whose token ids cannot be had: %j', async (argv, what) => {
    const { code, message } = await refused(['evaluate', 'tblite', '--model', 'm', ...argv]);
    expect(code).toBe(2);
    expect(message).toContain(what);
  });

  it.each([
    [
      ['evaluate', 'tblite', '--base-url', 'https://me:sesame@models.example.com/v1'],
      '--base-url: found "https://…@models.example.com/v1", accepted: an address without user, password or query; a key goes into the variable that --api-key-env names',
    ],
    [
      ['serve', 'tblite', '--atropos', 'http://me:sesame@trainer:8000'],
      '--atropos: found "http://…@trainer:8000", accepted: an address without user, password or query; a proxy on this machine can add what the server asks for',
    ],
    [
      ['serve', 'tblite', '--atropos', 'ftp://sesame@trainer'],
      '--atropos: found "ftp://…@trainer", accepted: an address that starts with http',
    ],
  ])('behind an address with a secret in it, which is not repeated: %j', async (argv, what) => {
    const { code, message, stdout, stderr } = await refused([...argv, '--model', 'm']);
    expect(code).toBe(2);
    expect(message).toContain(what);
    expect(stdout + stderr).not.toContain('sesame');
  });

  it('that is no scripted one', async () => {
    const { code, hint } = await refused(['evaluate', 'tblite', '--model', 'scripted/dmeo']);
    expect(code).toBe(2);
    expect(hint).toContain('scripted/demo');
  });
});

describe('bad input: the tasks', () => {
  it('without tests', async () => {
    const folder = await temporaryFolder();
    writeTask(folder, 'untested', { 'tests/test.sh': null });
    const { code, message } = await refused(['evaluate', folder, ...ORACLE]);
    expect(code).toBe(2);
    expect(message).toMatch(/tests/);
    expect(message).toContain(folder);
  });

  it('with a fault in task.toml, by file and line', async () => {
    const folder = await temporaryFolder();
    const task = writeTask(folder, 'broken', { 'task.toml': 'version = "1.0"\n[agent\n' });
    const { code, message } = await refused(['evaluate', folder, ...ORACLE]);
    expect(code).toBe(2);
    expect(message).toContain(`${task}/task.toml:2`);
  });

  it('in a folder without any', async () => {
    const { code } = await refused(['evaluate', await temporaryFolder(), ...ORACLE]);
    expect(code).toBe(2);
  });

  it('are reported by validate with what is accepted, without a run', async () => {
    const folder = await temporaryFolder();
    writeTask(folder, 'fine');
    writeTask(folder, 'broken', { 'instruction.md': null });
    const { code, json } = await longrun(['tasks', 'validate', folder, '--static', '--json']);
    expect(code).toBe(2);
    const reports = json().tasks as { task_id: string; problems: { file: string }[] }[];
    expect(reports.find((report) => report.task_id === 'fine')?.problems).toEqual([]);
    expect(reports.find((report) => report.task_id === 'broken')?.problems[0]?.file).toContain(
      'instruction.md',
    );
  });
});

describe('bad input: what cannot be had', () => {
  it('is a network in sandboxes without one', async () => {
    const folder = await temporaryFolder();
    writeTask(folder, 'online', { 'task.toml': 'version = "1.0"\n' });
    writeTask(folder, 'offline');
    const { code, message, hint } = await refused(['evaluate', folder, ...ORACLE]);
    expect(code).toBe(2);
    expect(message).toContain('memory have no network, and 1 task asks for it (online)');
    expect(hint).toMatch(/--network none.*--sandbox docker/);
    const { message: forced } = await refused(['evaluate', folder, ...ORACLE, '--network', 'public']);
    expect(forced).toContain('--network public');
  });

  it('are results that nobody waits for', async () => {
    const argv = ['evaluate', 'tblite', ...ORACLE, '--detach'];
    const output = await refused([...argv, '--output', join(await temporaryFolder(), 'out')]);
    expect([output.code, output.message]).toEqual([2, expect.stringContaining('--output')]);
    const failUnder = await refused([...argv, '--fail-under', '0.5']);
    expect([failUnder.code, failUnder.message]).toEqual([2, expect.stringContaining('--fail-under')]);
  });
});

describe('bad input: the machine', () => {
  it('has no container engine', async () => {
    vi.stubEnv('DOCKER_HOST', 'unix:///nonexistent/docker.sock');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { code, message, hint } = await refused([
      'evaluate',
      'tblite',
      '--agent',
      'nop',
      '--sandbox',
      'docker',
    ]);
    expect(code).toBe(1);
    expect(message).toContain('docker');
    expect(hint).toContain('longrun doctor');
  });

  it('has the port in use', async () => {
    const port = String(await listen(createServer()));
    const { code, message } = await refused(['evaluate', 'tblite', ...ORACLE, '--metrics-port', port]);
    expect(code).toBe(2);
    expect(message).toContain(`port ${port} is in use`);
  });

  it('is to use a Temporal server of a version that is too old', async () => {
    const env = { TEMPORAL_ADDRESS: await startServerOfVersion('1.20.0') };
    const { code, message, hint } = await refused(['evaluate', 'tblite', ...ORACLE], env);
    expect(code).toBe(1);
    expect(message).toContain('1.20.0');
    expect(hint).toContain('Upgrade');
  });

  it('is to use a Temporal server that does not answer', async () => {
    const { code, message, hint } = await refused(['evaluate', 'tblite', ...ORACLE], {
      TEMPORAL_ADDRESS: '127.0.0.1:1',
    });
    expect(code).toBe(1);
    expect(message).toContain('127.0.0.1:1');
    expect(hint).toContain('TEMPORAL_ADDRESS');
  });
});

describe('bad input: the settings file', () => {
  it('stops what uses the settings, and nothing else', async () => {
    const config = join(await temporaryFolder(), 'longrun.yaml');
    writeFileSync(config, 'samples: none\n');
    const { code, message } = await refused(['evaluate', 'tblite', ...ORACLE], { LONGRUN_CONFIG: config });
    expect([code, message]).toEqual([2, expect.stringContaining(`${config}:1`)]);
    const listed = await longrun(['runs', 'list', '--json'], {
      LONGRUN_CONFIG: config,
      LONGRUN_HOME: await temporaryStateDir(),
    });
    expect([listed.code, listed.json(), listed.stderr]).toEqual([0, { runs: [] }, '']);
  });
});

describe('bad input: names', () => {
  it('of a run that is not there', async () => {
    for (const command of ['show', 'watch', 'resume', 'pause', 'cancel', 'recover']) {
      const { code, message } = await refused(['runs', command, 'no-such-run']);
      expect([command, code]).toEqual([command, 1]);
      expect(message).toContain('no-such-run');
    }
  });

  it('of a run by a path, which no run is called', async () => {
    const { code, message } = await refused(['runs', 'show', '../../../etc']);
    expect(code).toBe(1);
    expect(message).toBe('no run is called "../../../etc"');
  });

  it('of a rollout that has another form', async () => {
    const { code, message } = await refused(['rollouts', 'show', 'just-a-name']);
    expect(code).toBe(2);
    expect(message).toContain('just-a-name');
  });
});
