import { readdirSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type CliAnswer, longrun } from './support/longrun.js';
import { writeTask } from './support/tasks.js';

const BROKEN = 'TEST_BROKEN';
const TOML = `version = "1.0"

[environment]
network_mode = "no-network"

[verifier]
timeout_sec = 1

[verifier.env]
BROKEN = "\${${BROKEN}:-no}"
`;
const TEST = (word: string) => `#!/bin/bash
mkdir -p /logs/verifier
if [ "$BROKEN" = yes ]; then sleep 20; fi
if [ "$(cat /app/answer)" = "${word}" ]; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi
`;

let folder: string;
let stateDir: string;

const run = (...argv: string[]): Promise<CliAnswer> => longrun(argv, { LONGRUN_HOME: stateDir });

/** Every file of the state folder's store with its size. */
function storeListing(): string[] {
  const store = join(stateDir, 'store');
  const names = readdirSync(store, { recursive: true }) as string[];
  return names.sort().map((name) => `${name} ${statSync(join(store, name)).size}`);
}

/** A run whose verifier was broken on this host; it works by now. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longrun-replay-'));
  stateDir = join(folder, 'state');
  for (const word of ['alpha', 'beta'])
    writeTask(join(folder, 'tasks'), word, { 'task.toml': TOML, 'tests/test.sh': TEST(word) });
  process.env[BROKEN] = 'yes';
  const argv = [
    'evaluate',
    join(folder, 'tasks'),
    '--agent',
    'oracle',
    '--sandbox',
    'memory',
    '--max-attempts',
    '1',
    '--pass-env',
    BROKEN,
  ];
  const { code } = await run(...argv, '--run-id', 'broken');
  expect(code).toBe(1);
  process.env[BROKEN] = 'no';
});
afterEach(() => {
  process.env[BROKEN] = 'no';
});
afterAll(async () => {
  delete process.env[BROKEN];
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

describe('longrun replay', () => {
  it('says what it would do and changes nothing', async () => {
    const before = storeListing();
    const { stdout, code } = await run('replay', 'broken', '--failed', '--mode', 'rerun', '--dry-run');
    expect(code).toBe(0);
    expect(stdout).toMatch(/alpha\/0 +1 +attempt 1 +from the start/);
    expect(stdout).toContain('Nothing was changed.');
    const preview = (
      await run('replay', 'broken', '--failed', '--mode', 'verify', '--dry-run', '--json')
    ).json();
    expect(preview).toMatchObject({
      dry_run: true,
      members: [{ rollout_id: 'broken/alpha/0' }, {}],
      left_out: [],
    });
    expect(storeListing()).toEqual(before);
  });

  it('is what queue retry does, for rollouts that are named', async () => {
    const { stdout } = await run('queue', 'list');
    expect(stdout).toMatch(/broken\/alpha\/0 +terminal_failure +verifier_timeout/);
    const { code, stdout: report } = await run('queue', 'retry', 'broken/alpha/0', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(report).replays).toMatchObject([
      { replay: { request: { mode: 'rerun', rollouts: ['broken/alpha/0'] } }, rollouts: [{ counts: true }] },
    ]);
    const { counts } = (await run('queue', 'list', '--run', 'broken', '--json')).json();
    expect(counts).toMatchObject({ success: 1, terminal_failure: 1 });
    const again = await run('queue', 'retry', 'broken/alpha/0', '--json');
    expect(again.code).toBe(2);
    expect(again.json().error.message).toContain('is scored');
  });

  it('makes up for a failed run; every report names the attempt that counts', async () => {
    const { code, stdout, stderr } = await run('replay', 'broken', '--failed', '--mode', 'rerun');
    expect(code).toBe(0);
    expect(stderr).toMatch(/1\/1 {2}✔/);
    expect(stdout).toMatch(/broken\/beta\/0 +verifier_timeout — +2 +✔ natural +1\.00 +yes/);
    const shown = await run('runs', 'show', 'broken');
    expect(shown.stdout).toMatch(/replayed +2 rollouts count by a replay: rerun-.*, rerun-/);
    const rollout = await run('rollouts', 'show', 'broken/alpha/0');
    expect(rollout.stdout).toMatch(/attempt 1 {2}verifier_timeout/);
    expect(rollout.stdout).toMatch(
      /attempt 2 {2}natural · reward 1\.00 {2}\(rerun of attempt 1, replay rerun-.*, counts, shown\)/,
    );
    const document = (await run('runs', 'show', 'broken', '--json')).json();
    expect(document.rollouts[0]).toMatchObject({
      attempt: 2,
      reward: 1,
      replay: { mode: 'rerun', source: { attempt: 1 } },
    });
    expect((await run('queue', 'list', '--json')).json().counts).toMatchObject({
      success: 2,
      needs_human_review: 0,
    });
  });

  it('of what is scored needs its name', async () => {
    const refused = await run('replay', 'broken', '--task', 'alpha', '--mode', 'rerun', '--json');
    expect(refused.code).toBe(2);
    expect(refused.json().error.hint).toContain('--include-sealed');
    const { code, stdout } = await run(
      'replay',
      'broken',
      '--rollout',
      'alpha/0',
      '--mode',
      'verify',
      '--json',
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      replay: { status: 'finished', request: { mode: 'verify' } },
      rollouts: [{ rollout_id: 'broken/alpha/0', counts: false, result: { attempt: 3, reward: 1 } }],
    });
  });
});
