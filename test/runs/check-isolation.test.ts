import { describe, expect, it } from 'vitest';
import { checkIsolation } from '../../src/runs/check-isolation.js';
import { inlineTask } from '../support/inline-task.js';

const sandbox = 'docker' as const;
const plain = (taskId: string) => inlineTask({ taskId, test: 'true' });
const separate = (taskId: string) =>
  inlineTask({ taskId, test: 'true', verifier: { isolation: 'separate' } });

describe('--verify before a run starts', () => {
  it('says nothing where it is not given, or is no weaker than what the tasks ask for', async () => {
    const tasks = [await plain('a'), await separate('b')];
    expect(await checkIsolation(tasks, { verify: null, sandbox })).toEqual([]);
    expect(await checkIsolation(tasks, { verify: 'separate', sandbox })).toEqual([]);
    expect(await checkIsolation([await plain('a')], { verify: 'restarted', sandbox })).toEqual([]);
  });

  it('warns of each task that it weakens', async () => {
    const tasks = [await plain('a'), await separate('b'), await separate('c')];
    const [warning] = await checkIsolation(tasks, { verify: 'shared', sandbox });
    expect(warning).toBe(
      '--verify shared weakens 2 tasks (b, c): asked for separate, so scores can be tampered with more easily.',
    );
  });

  it('refuses a task by name that has no artifacts and works in the root', async () => {
    const task = await inlineTask({ taskId: 'rooted', test: 'true', sandbox: { workdir: '/' } });
    await expect(checkIsolation([task], { verify: 'separate', sandbox })).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('Task rooted cannot be verified separately'),
    });
  });

  it('refuses the task whose tests are nowhere but in its verifier’s image', async () => {
    const task = await inlineTask({ taskId: 'sealed', test: 'true', verifier: { isolation: 'separate' } });
    const [step] = task.task.evalCriteria.steps;
    if (!step) throw new Error('a task has a step');
    step.verifier.sandbox = { ...task.task.metadata.sandbox, image: { kind: 'image', name: 'verifier' } };
    expect(await checkIsolation([task], { verify: 'shared', sandbox })).toHaveLength(1);
    step.verifier.tests = { sha256: '0'.repeat(64), bytes: 0 };
    await expect(checkIsolation([task], { verify: 'shared', sandbox })).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('Task sealed can only be verified separately'),
    });
  });

  it('says that the in-memory sandbox has nothing to restart', async () => {
    const warnings = await checkIsolation([await plain('a')], { verify: 'restarted', sandbox: 'memory' });
    expect(warnings).toEqual([expect.stringContaining('no processes')]);
  });
});
