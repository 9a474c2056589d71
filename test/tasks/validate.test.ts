// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of task.toml
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { validateTasks } from '../../src/tasks/validate.js';
import { writeTask } from './support/task-folder.js';

describe('longrun tasks validate', () => {
  it('finds nothing wrong in the fixtures', async () => {
    const reports = await validateTasks(join(import.meta.dirname, '../fixtures/harbor'), { hostEnv: {} });
    expect(reports.map(({ taskId, problems, notes }) => ({ taskId, problems, notes }))).toEqual(
      ['hello-file', 'sealed-verifier', 'two-steps'].map((taskId) => ({ taskId, problems: [], notes: [] })),
    );
  });

  it('tells what is wrong apart from what is worth knowing', async () => {
    const dir = await writeTask({
      'task.toml': '[environment]\ncpu = 1',
      'tests/test.sh': 'echo 1 > /logs/verifier/reward.txt\n',
    });
    const [wrong] = await validateTasks(dir, { hostEnv: {} });
    expect(wrong?.problems).toEqual([
      expect.objectContaining({ file: join(dir, 'task.toml'), line: 2, found: 'cpu' }),
    ]);
    const fine = await writeTask({
      'task.toml': '[verifier.env]\nK = "${JUDGE_KEY}"',
      'tests/test.sh': 'echo 1 > /logs/verifier/reward.txt\n',
      'solution/solve.sh': null,
    });
    const [report] = await validateTasks(fine, { hostEnv: {} });
    expect(report?.problems).toEqual([]);
    expect(report?.notes.map(({ message }) => message)).toEqual([
      expect.stringContaining('no interpreter line'),
      expect.stringContaining('no solution'),
      expect.stringContaining('JUDGE_KEY is not set'),
    ]);
  });

  it('asks the sandbox about the images of tasks that are otherwise fine', async () => {
    const probe = async () => [
      { message: 'the image has no /bin/sh', found: 'scratch', accepted: 'an image with a shell' },
    ];
    const good = await writeTask({});
    const [report] = await validateTasks(good, { hostEnv: {}, probe });
    expect(report?.problems).toEqual([
      expect.objectContaining({ file: good, message: 'the image has no /bin/sh' }),
    ]);
    const [broken] = await validateTasks(await writeTask({ 'task.toml': 'x = 1' }), { hostEnv: {}, probe });
    expect(broken?.problems).toHaveLength(1);
  });
});
