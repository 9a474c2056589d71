// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of task.toml
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { validateTasks } from '../../src/tasks/validate.js';
import { writeTask } from './support/task-folder.js';

describe('longrun tasks validate', () => {
  it('finds nothing wrong in the fixtures', async () => {
    const reports = await validateTasks(join(import.meta.dirname, '../fixtures/harbor'));
    expect(reports.map(({ taskId, problems }) => ({ taskId, problems }))).toEqual(
      ['hello-file', 'sealed-verifier', 'two-steps'].map((taskId) => ({ taskId, problems: [] })),
    );
  });

  it('tells what is wrong apart from what is worth knowing', async () => {
    const dir = await writeTask({
      'task.toml': '[environment]\ncpu = 1',
      'tests/test.sh': 'echo 1 > /logs/verifier/reward.txt\n',
    });
    const [wrong] = await validateTasks(dir);
    expect(wrong?.problems).toEqual([
      expect.objectContaining({ file: join(dir, 'task.toml'), line: 2, found: 'cpu' }),
    ]);
    const fine = await writeTask({
      'task.toml': '[verifier.env]\nK = "${JUDGE_KEY}"',
      'tests/test.sh': 'echo 1 > /logs/verifier/reward.txt\n',
      'solution/solve.sh': null,
    });
    const [report] = await validateTasks(fine);
    expect(report?.problems).toEqual([]);
    expect(report?.notes.map(({ message }) => message)).toEqual([
      expect.stringContaining('no interpreter line'),
      expect.stringContaining('no solution'),
      "asks for JUDGE_KEY of the host's environment",
    ]);
  });

  it('names every variable of the host that a task asks for, with its line', async () => {
    const toml = `[environment.env]
TOKEN = "\${TOKEN}"
[verifier.env]
URL = "https://\${HOST:-localhost}"
[verifier]
environment_mode = "separate"
[verifier.environment]
env = { A = "\${FIRST}\${SECOND}" }
[solution.env]
S = "\${SOLUTION}"
`;
    const [report] = await validateTasks(await writeTask({ 'task.toml': toml }));
    const asking = report?.notes.filter(({ message }) => message.startsWith('asks for'));
    expect(asking?.map(({ line, accepted }) => [line, accepted])).toEqual([
      [2, '--pass-env TOKEN'],
      [4, '--pass-env HOST, or its default'],
      [8, '--pass-env FIRST'],
      [8, '--pass-env SECOND'],
      [10, '--pass-env SOLUTION'],
    ]);
    expect(asking?.[1]).toMatchObject({ found: 'https://${HOST:-localhost}' });
  });

  it('asks the sandbox about the images of tasks that are otherwise fine', async () => {
    const probe = async () => [
      { message: 'the image has no /bin/sh', found: 'scratch', accepted: 'an image with a shell' },
    ];
    const good = await writeTask({});
    const [report] = await validateTasks(good, { probe });
    expect(report?.problems).toEqual([
      expect.objectContaining({ file: good, message: 'the image has no /bin/sh' }),
    ]);
    const [broken] = await validateTasks(await writeTask({ 'task.toml': 'x = 1' }), { probe });
    expect(broken?.problems).toHaveLength(1);
  });
});
