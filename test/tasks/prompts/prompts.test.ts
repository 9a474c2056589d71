import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadTasks } from '../../../src/runs/load-tasks.js';
import { promptsSource } from '../../../src/tasks/prompts/prompts-environment.js';
import { temporaryFolder } from '../../support/state.js';

async function listOf(...lines: string[]): Promise<string> {
  const file = join(await temporaryFolder(), 'list.jsonl');
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
  return file;
}

it('every row is an item of its own, the same prompt twice as well', async () => {
  const file = await listOf(
    '{"prompt":"List the files.","difficulty":"easy"}',
    '',
    '{"prompt":"List the files."}',
    '{"prompt":"Go.","image":"python:3.12","cwd":"/srv"}',
  );
  const { environment, tasks } = await loadTasks(promptsSource(file));
  expect(environment).toMatchObject({ name: 'list', source: `prompts:${file}` });
  expect(tasks.map(({ task }) => [task.taskId, task.inputs.instruction])).toEqual([
    ['prompt-1', 'List the files.'],
    ['prompt-3', 'List the files.'],
    ['prompt-4', 'Go.'],
  ]);
  expect(tasks[0]?.task.metadata).toMatchObject({ own: { difficulty: 'easy' }, source: { name: '1' } });
  expect(tasks[0]?.task.metadata.sandbox).toMatchObject({
    image: { kind: 'dockerfile' },
    workdir: '/workspace',
  });
  expect(tasks[2]?.task.metadata.sandbox).toMatchObject({
    image: { kind: 'image', name: 'python:3.12' },
    workdir: '/srv',
  });
});

it('lines that cannot be used are named with file and line, all at once', async () => {
  const file = await listOf('{"prompt":"Go."}', 'Go.', '{"promt":"Go."}', '{"prompt":"Go.","cwd":"srv"}');
  const refused = loadTasks(promptsSource(file));
  await expect(refused).rejects.toMatchObject({ code: 'bad_input', exitCode: 2 });
  const message = await refused.catch((error: Error) => error.message);
  expect(message).toContain('3 lines cannot be used');
  expect(message).toContain(`${file}:2: no JSON`);
  expect(message).toContain(`${file}:3: prompt: `);
  expect(message).toContain(`${file}:4: cwd: `);
});

it('a list that is empty or missing is refused', async () => {
  await expect(loadTasks(promptsSource(await listOf()))).rejects.toThrow('holds no prompts');
  await expect(loadTasks('prompts:/nowhere/list.jsonl')).rejects.toThrow('cannot be read');
});
