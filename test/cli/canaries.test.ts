import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ModelServer, refuses, runs, says } from '../support/model-server.js';
import { temporaryFolder } from '../support/state.js';
import { threat } from '../support/threat.js';
import { longrun } from './support/longrun.js';
import { startLongrun } from './support/process.js';
import { writeTask } from './support/tasks.js';

/** By where they stand. */
const CANARIES = {
  modelKey: 'sk-canary-of-the-model-7Qw3',
  passed: 'canary-passed-to-the-task/9+Zx',
  uploadKey: 'canary-of-the-upload-5Tb8',
  unlisted: 'canary-of-the-host-2Rn6',
  dotEnv: 'canary-of-dot-env-4Hk1',
};

const TOML = `[environment]
network_mode = "no-network"
[environment.env]
TOKEN = "\${TASK_TOKEN}"
OTHER = "\${UNLISTED:-nothing}"
[verifier.env]
TOKEN = "\${TASK_TOKEN}"
`;
const SAYS_ALL =
  'env; printf %s "x$TOKEN" | base64; printf %s "$TOKEN" | od -An -v -tx1; cat /proc/self/environ';

describe(threat('whoever reads the records', 'a key or token of the host'), () => {
  it('after a real run none is in the state folder, its database, outputs, exports, logs or the list of processes', async () => {
    const { folder, env } = await place();
    const listed: string[] = [];
    const model = await ModelServer.start(({ turn, messages }) => {
      listed.push(...processes());
      if (turn === 0) return runs(SAYS_ALL);
      if (JSON.stringify(messages).includes('Write pear')) return says('Done.');
      return refuses(
        401,
        `bad key ${CANARIES.modelKey}, or ${Buffer.from(CANARIES.modelKey).toString('base64url')}`,
      );
    });
    onTestFinished(() => model.close());
    const cli = startLongrun(
      [
        ...['evaluate', 'tasks', '--sandbox', 'memory', '--model', 'test-model', '--base-url', model.baseUrl],
        ...['--pass-env', 'TASK_TOKEN', '--run-id', 'run', '--output', 'job', '--save-trajectories'],
        ...['--log-level', 'trace', '--api-key-env', 'THE_KEY'],
      ],
      env,
      folder,
    );
    await cli.ended;
    expect(cli.output.stderr).toContain('TASK_TOKEN is passed to 2 tasks: apple, pear.');
    expect(model.seen[0]?.authorization).toBe(`Bearer ${CANARIES.modelKey}`);
    const told = JSON.stringify(model.seen.map(({ messages }) => messages));
    expect(told).toContain('TOKEN=[redacted]');
    expect(told).toContain('OTHER=nothing');
    const formats = ['longrun', 'sharegpt', 'atropos-v1', 'atif', 'messages'];
    for (const format of formats)
      await longrun(
        ['traj', 'export', 'run', '--format', format, '--output', join(folder, `export-${format}`)],
        env,
      );
    const shown = await Promise.all(
      [
        ['runs', 'show', 'run'],
        ['rollouts', 'show', 'run/apple/0', '--json'],
        ['traj', 'show', 'run'],
      ].map((argv) => longrun(argv, env)),
    );
    const files = filesUnder(folder).filter((path) => !/(\.env|longrun\.yaml)$/.test(path));
    for (const part of ['/job/', '/rollouts/apple/0/', '.db', '/export-longrun', '/traj_'])
      expect(
        files.some((path) => path.includes(part)),
        part,
      ).toBe(true);
    const texts = new Map([
      ...files.map((path) => [path, readFileSync(path).toString('latin1')] as const),
      ['standard output', cli.output.stdout],
      ['standard error', cli.output.stderr],
      ['what the model was told', told],
      ['what commands show', shown.map(({ stdout, stderr }) => stdout + stderr).join('\n')],
      ['the list of processes', listed.join('\n')],
    ]);
    for (const part of ['--pass-env', 'temporal'])
      expect(listed.some((line) => line.includes(part))).toBe(true);
    for (const [name, canary] of Object.entries(CANARIES))
      for (const [place, text] of texts)
        for (const spelling of [canary, encoded(canary), Buffer.from(canary).toString('hex')])
          expect(text.includes(spelling), `${name} in ${place}`).toBe(false);
  });

  it('an address with one is refused, and not repeated', async () => {
    const { folder, env } = await place();
    for (const url of [
      'https://me:SECRET@models.example/v1',
      'https://models.example/v1?key=SECRET',
      'https://models.example/v1#SECRET',
    ]) {
      const flags = ['--model', 'm', '--base-url', url.replace('SECRET', CANARIES.unlisted)];
      const { code, stdout, stderr } = await longrun(['evaluate', join(folder, 'tasks'), ...flags], env);
      expect(code).toBe(2);
      expect(stderr).toContain('without user, password or query');
      expect(stdout + stderr).not.toContain(CANARIES.unlisted);
    }
  });
});

async function place(): Promise<{ folder: string; env: NodeJS.ProcessEnv }> {
  const folder = await temporaryFolder();
  const test = `#!/bin/sh\n${SAYS_ALL}; echo 1 > /logs/verifier/reward.txt\n`;
  for (const task of ['apple', 'pear'])
    writeTask(join(folder, 'tasks'), task, { 'task.toml': TOML, 'tests/test.sh': test });
  writeFileSync(join(folder, '.env'), `TASK_TOKEN=${CANARIES.dotEnv}\nOPENAI_API_KEY=${CANARIES.dotEnv}\n`);
  writeFileSync(join(folder, 'longrun.yaml'), `trajectory:\n  upload_api_key: ${CANARIES.uploadKey}\n`);
  const env = {
    LONGRUN_HOME: join(folder, 'state'),
    THE_KEY: CANARIES.modelKey,
    TASK_TOKEN: CANARIES.passed,
    UNLISTED: CANARIES.unlisted,
    OPENAI_CUSTOM_HEADERS: `X-Key: ${CANARIES.unlisted}`,
  };
  return { folder, env };
}

/** The part of it in Base64 that is the same wherever it stands after one byte. */
const encoded = (text: string): string => Buffer.from(`x${text}`).toString('base64').slice(4, -4);

/** The command lines of this machine, and the environment of servers. */
function processes(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return /temporal/.test(line) ? [line, readFileSync(`/proc/${pid}/environ`, 'utf8')] : [line];
      } catch {
        return [];
      }
    });
}

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
