import { describe, expect, it } from 'vitest';
import type { BlobRef } from '../../../src/core/rollout/task.schema.js';
import { readTar } from '../../../src/sandbox/tar-entries.js';
import { loadHarborTask } from '../../../src/tasks/harbor/load-task.js';
import { problemsOf, writeTask } from '../support/task-folder.js';

const TOML = `
artifacts = ["/shared"]
multi_step_reward_strategy = "final"
[agent]
timeout_sec = 100
user = "dev"
[verifier]
timeout_sec = 200
env = { A = "task", B = "task" }
[[verifier.collect]]
command = "collect-task"
[solution]
env = { S = "1" }
[[steps]]
name = "first"
min_reward = 0.5
artifacts = ["/own"]
[steps.agent]
timeout_sec = 10
user = "other"
[steps.verifier]
timeout_sec = 20
env = { B = "step" }
[[steps.verifier.collect]]
command = "collect-step"
[steps.healthcheck]
command = "true"
[[steps]]
name = "second"
min_reward = { reward = 1.0, style = 0.2 }
`;

const FILES = {
  'task.toml': TOML,
  'instruction.md': null,
  'environment/Dockerfile': 'FROM debian:bookworm-slim\nWORKDIR /srv\nWORKDIR app\n',
  'tests/lib.sh': 'shared\n',
  'steps/first/instruction.md': 'First.\n',
  'steps/first/tests/test.sh': '#!/bin/sh\n# first\n',
  'steps/first/tests/data/x': 'x',
  'steps/first/workdir/seed.txt': 'seed',
  'steps/first/solution/solve.sh': '#!/bin/sh\n# first\n',
  'steps/second/instruction.md': 'Second.\n',
};

describe('a task of several steps', () => {
  it('has the instructions, limits and users of each step, over those of the task', async () => {
    const { task } = await loadHarborTask(await writeTask(FILES));
    const [first, second] = task.evalCriteria.steps;
    expect(task.inputs.instruction).toBe('First.\n');
    expect(task.evalCriteria).toMatchObject({
      stepReward: 'final',
      steps: [{ name: 'first' }, { name: 'second' }],
    });
    expect(first).toMatchObject({
      instruction: 'First.\n',
      agentTimeoutMs: 10_000,
      agentUser: 'other',
      minReward: 0.5,
      healthcheck: { command: 'true' },
      solutionEnv: { S: '1' },
      verifier: { timeoutMs: 20_000, env: { A: 'task', B: 'step' } },
    });
    expect(first?.artifacts.map(({ source }) => source)).toEqual(['/shared', '/own']);
    expect(first?.verifier.collect.map(({ command }) => command)).toEqual(['collect-task', 'collect-step']);
    expect(second).toMatchObject({
      agentTimeoutMs: 100_000,
      agentUser: 'dev',
      minReward: { reward: 1, style: 0.2 },
      healthcheck: null,
      workdirFiles: null,
      verifier: { timeoutMs: 200_000, env: { A: 'task', B: 'task' }, collect: [{ command: 'collect-task' }] },
    });
  });

  it('lays the tests of a step over those that all steps share', async () => {
    const loaded = await loadHarborTask(await writeTask(FILES));
    const read = async (ref: BlobRef | null | undefined) => {
      const tar = await loaded.blobs.get(ref?.sha256 ?? '')?.();
      const entries = await readTar(tar as Uint8Array);
      const files = entries.filter(({ type }) => type === 'file');
      return Object.fromEntries(files.map(({ path, content }) => [path, Buffer.from(content).toString()]));
    };
    const [first, second] = loaded.task.evalCriteria.steps;
    expect(await read(first?.verifier.tests)).toEqual({
      'data/x': 'x',
      'lib.sh': 'shared\n',
      'test.sh': '#!/bin/sh\n# first\n',
    });
    expect(await read(second?.verifier.tests)).toMatchObject({ 'lib.sh': 'shared\n' });
    expect(await read(first?.workdirFiles)).toEqual({ 'seed.txt': 'seed' });
    expect(await read(first?.solution)).toEqual({ 'solve.sh': '#!/bin/sh\n# first\n' });
    expect(second?.solution).not.toEqual(first?.solution);
  });

  it('is refused when a step has no folder, or a folder no step', async () => {
    const problems = await problemsOf({
      ...FILES,
      'steps/second/instruction.md': null,
      'steps/third/instruction.md': 'Third.\n',
    });
    expect(problems.map(({ message }) => message).sort()).toEqual([
      'the folder belongs to no step',
      'the instruction is missing',
    ]);
  });

  it('puts the files of a step where the Dockerfile ends, and is refused where that cannot be told', async () => {
    const { task } = await loadHarborTask(await writeTask(FILES));
    expect(task.metadata.sandbox.workdir).toBe('/srv/app');
    const dockerfile = 'FROM a\nWORKDIR /x\nFROM b\nWORKDIR $HOME\n';
    expect(await problemsOf({ ...FILES, 'environment/Dockerfile': dockerfile })).toEqual([
      expect.objectContaining({
        found: 'steps/first/workdir/seed.txt',
        accepted: expect.stringContaining('workdir'),
      }),
    ]);
  });

  it('is refused when it prepares a step by a script, which would not be run', async () => {
    const problems = await problemsOf({ ...FILES, 'steps/second/workdir/setup.sh': '#!/bin/sh\n' });
    expect(problems).toEqual([
      expect.objectContaining({ message: expect.stringContaining('workdir/setup.sh') }),
    ]);
  });

  it('is refused when two steps have one name', async () => {
    const toml = '[[steps]]\nname = "first"\n[[steps]]\nname = "first"';
    const [problem] = await problemsOf({ ...FILES, 'task.toml': toml, 'steps/second/instruction.md': null });
    expect(problem).toMatchObject({ line: 4, message: 'two steps have the same name' });
  });
});
