// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of task.toml
import { describe, expect, it } from 'vitest';
import type { Task } from '../../../src/core/rollout/task.schema.js';
import { taskSchema } from '../../../src/core/rollout/task.schema.js';
import { loadToml, MINIMAL } from '../support/task-folder.js';

const step = (task: Task) => task.evalCriteria.steps[0] as Task['evalCriteria']['steps'][number];
const sandbox = (task: Task) => task.metadata.sandbox;
const verifier = (task: Task) => step(task).verifier;

/** A line of task.toml, and what it becomes. */
const FIELDS: [toml: string, read: (task: Task) => unknown, becomes: unknown][] = [
  ['schema_version = "1.4"', (t) => t.schemaVersion, 1],
  ['schema_version = "1.0"', (t) => t.schemaVersion, 1],
  ['version = "1.0"', (t) => t.schemaVersion, 1],
  ['source = "swe-bench"', (t) => t.metadata.source.kind, 'harbor'],
  ['multi_step_reward_strategy = "final"', (t) => t.evalCriteria.stepReward, 'final'],
  [
    'artifacts = ["/app/out"]',
    (t) => step(t).artifacts,
    [{ source: '/app/out', destination: 'app/out', exclude: [] }],
  ],
  [
    'artifacts = [{ source = "/a/b", destination = "c/d", exclude = ["*.o"], service = "main" }]',
    (t) => step(t).artifacts,
    [{ source: '/a/b', destination: 'c/d', exclude: ['*.o'] }],
  ],
  [
    'artifacts = ["out.csv"]\n[environment]\nworkdir = "/app"',
    (t) => step(t).artifacts[0]?.source,
    '/app/out.csv',
  ],
  ['[task]\nname = "org/name"', (t) => t.metadata.source.name, 'org/name'],
  ['[task]\nversion = "7"\ndescription = "x"', (t) => t.metadata.source.name, null],
  ['[task]\nauthors = [{ name = "A", email = "a@b.c" }, { name = "B" }]', (t) => t.metadata.tags, []],
  ['[task]\nkeywords = ["k"]\n[metadata]\ntags = ["t", "k"]', (t) => t.metadata.tags, ['t', 'k']],
  ['[metadata]\ncategory = "file_ops"', (t) => t.metadata.category, 'file_ops'],
  ['[metadata]\ndifficulty = "hard"', (t) => t.metadata.difficulty, 'hard'],
  ['[metadata]\nanything = { at = ["all"] }\nwhen = 2025-01-01', (t) => t.metadata.category, null],
  ['[agent]\ntimeout_sec = 1.5', (t) => step(t).agentTimeoutMs, 1500],
  ['', (t) => step(t).agentTimeoutMs, null],
  ['[agent]\nuser = "dev"', (t) => step(t).agentUser, 'dev'],
  ['[agent]\nuser = 1000', (t) => step(t).agentUser, '1000'],
  ['[agent]\nnetwork_mode = "public"', (t) => sandbox(t).network, 'public'],
  ['[verifier]\ntimeout_sec = 30', (t) => verifier(t).timeoutMs, 30_000],
  ['', (t) => verifier(t).timeoutMs, 600_000],
  ['[verifier.env]\nA = "1"', (t) => verifier(t).env, { A: '1' }],
  ['[verifier]\nuser = "judge"', (t) => verifier(t).user, 'judge'],
  ['[verifier]\nuser = 0', (t) => verifier(t).user, '0'],
  ['[verifier]\nenvironment_mode = "shared"', (t) => verifier(t).isolation, 'shared'],
  ['[verifier]\nenvironment_mode = "restarted"', (t) => verifier(t).isolation, 'restarted'],
  ['[verifier]\nenvironment_mode = "separate"', (t) => verifier(t).isolation, 'separate'],
  ['', (t) => verifier(t).isolation, 'shared'],
  [
    '[[verifier.collect]]\ncommand = "sync"',
    (t) => verifier(t).collect,
    [{ command: 'sync', timeoutMs: 60_000, user: null }],
  ],
  [
    '[[verifier.collect]]\ncommand = "sync"\nservice = "main"\ntimeout_sec = 2\nuser = 5',
    (t) => verifier(t).collect,
    [{ command: 'sync', timeoutMs: 2_000, user: '5' }],
  ],
  [
    '[environment]\nbuild_timeout_sec = 5',
    (t) => sandbox(t).image,
    expect.objectContaining({ buildTimeoutMs: 5_000 }),
  ],
  ['', (t) => sandbox(t).image, expect.objectContaining({ kind: 'dockerfile', buildTimeoutMs: 600_000 })],
  ['[environment]\ndocker_image = "img:1"', (t) => sandbox(t).image, { kind: 'image', name: 'img:1' }],
  ['[environment]\nos = "linux"\ngpus = 0\ngpu_types = []\nmcp_servers = []', (t) => sandbox(t).cpus, null],
  ['[environment]\ncpus = 2', (t) => sandbox(t).cpus, 2],
  ['[environment]\nmemory_mb = 512', (t) => sandbox(t).memoryMb, 512],
  ['[environment]\nstorage_mb = 1024', (t) => sandbox(t).storageMb, 1024],
  ['[environment]\nmemory = "2G"', (t) => sandbox(t).memoryMb, 2048],
  ['[environment]\nmemory = "512M"', (t) => sandbox(t).memoryMb, 512],
  ['[environment]\nmemory = "1.5Gi"', (t) => sandbox(t).memoryMb, 1536],
  ['[environment]\nstorage = "10GB"', (t) => sandbox(t).storageMb, 10_240],
  ['', (t) => [sandbox(t).memoryMb, sandbox(t).storageMb], [null, null]],
  ['', (t) => sandbox(t).network, 'public'],
  ['[environment]\nnetwork_mode = "no-network"', (t) => sandbox(t).network, 'none'],
  ['[environment]\nallow_internet = false', (t) => sandbox(t).network, 'none'],
  ['[environment]\nallow_internet = true', (t) => sandbox(t).network, 'public'],
  ['[environment]\nallow_internet = false\nnetwork_mode = "public"', (t) => sandbox(t).network, 'public'],
  ['[environment.env]\nA = "x ${B:-y}"', (t) => sandbox(t).env, { A: 'x ${B:-y}' }],
  ['[environment]\nworkdir = "/app"', (t) => sandbox(t).workdir, '/app'],
  [
    '[environment.healthcheck]\ncommand = "true"',
    (t) => sandbox(t).healthcheck,
    {
      command: 'true',
      intervalMs: 5_000,
      timeoutMs: 30_000,
      startPeriodMs: 0,
      startIntervalMs: 5_000,
      retries: 3,
    },
  ],
  [
    '[environment.healthcheck]\ncommand = "true"\ninterval_sec = 0\ntimeout_sec = 1\nstart_period_sec = 2\nstart_interval_sec = 0.5\nretries = 9',
    (t) => sandbox(t).healthcheck,
    {
      command: 'true',
      intervalMs: 0,
      timeoutMs: 1_000,
      startPeriodMs: 2_000,
      startIntervalMs: 500,
      retries: 9,
    },
  ],
  ['[solution.env]\nKEY = "${SECRET}"', (t) => step(t).solutionEnv, { KEY: '${SECRET}' }],
];

describe('a field of task.toml becomes what it means', () => {
  it.each(FIELDS)('%s', async (toml, read, becomes) => {
    const task = await loadToml(toml);
    expect(read(task)).toEqual(becomes);
    expect(taskSchema.parse(task)).toEqual(task);
  });
});

describe('a minimal task', () => {
  it('is one step called main with its instruction word for word', async () => {
    const task = await loadToml('', { 'instruction.md': '  Do\r\nit.\n\n' });
    expect(task.evalCriteria.steps).toHaveLength(1);
    expect(step(task)).toMatchObject({ name: 'main', instruction: '  Do\r\nit.\n\n', minReward: null });
    expect(task.inputs.instruction).toBe(step(task).instruction);
  });

  it('keeps references to host variables unresolved, so that secrets reach no record', async () => {
    const toml = '[verifier.env]\nKEY = "${JUDGE_KEY}"';
    const task = await loadToml(toml);
    expect(verifier(task).env).toEqual({ KEY: '${JUDGE_KEY}' });
  });

  it('may come without a solution, which only the oracle needs', async () => {
    const task = await loadToml('', { 'solution/solve.sh': null });
    expect(step(task).solution).toBeNull();
    expect(MINIMAL['solution/solve.sh']).toBeDefined();
  });
});
