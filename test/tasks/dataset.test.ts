import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findTaskFolders } from '../../src/tasks/harbor/find-tasks.js';
import { loadHarborDataset } from '../../src/tasks/harbor/load-dataset.js';
import { ALL_TASKS, selectTasks } from '../../src/tasks/select-tasks.js';
import { errorOf, type Files, MINIMAL, temporaryFolder, writeFiles } from './support/task-folder.js';

async function dataset(tasks: Record<string, Files>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [path, files] of Object.entries(tasks))
    await writeFiles(join(folder, path), { ...MINIMAL, ...files });
  return folder;
}

const ids = async (folder: string) => (await findTaskFolders(folder)).map(({ taskId }) => taskId);

describe('a folder of tasks', () => {
  it('holds tasks in the order of their ids, at any of the usual depths, among other folders', async () => {
    const folder = await dataset({
      b: {},
      'suite/a': {},
      'suite/deep/c': {},
      '.git/x': {},
      'node_modules/y': {},
    });
    await writeFiles(folder, { 'README.md': 'x', 'docs/notes.md': 'x' });
    expect(await ids(folder)).toEqual(['a', 'b', 'c']);
  });

  it('may be a task itself', async () => {
    const folder = await dataset({ one: {} });
    expect(await ids(join(folder, 'one'))).toEqual(['one']);
  });

  it('is refused when it holds none, is a file or does not exist', async () => {
    const folder = await dataset({ one: {} });
    expect((await errorOf(findTaskFolders(join(folder, 'one/tests')))).message).toContain('holds no tasks');
    expect((await errorOf(findTaskFolders(join(folder, 'one/task.toml')))).message).toContain(
      'is not a folder',
    );
    expect((await errorOf(findTaskFolders(join(folder, 'two')))).message).toContain('does not exist');
  });

  it('is refused when two tasks have one id', async () => {
    const error = await errorOf(findTaskFolders(await dataset({ 'x/same': {}, 'y/same': {} })));
    expect(error).toMatchObject({ code: 'task_invalid', exitCode: 2 });
    expect(error.message).toContain('the task id same is taken by');
  });

  it('is loaded whole, or refused with what is wrong in every task of it', async () => {
    const folder = await dataset({ a: {}, b: { 'task.toml': 'x = 1' }, c: { 'task.toml': 'y = 1' } });
    const error = await errorOf(loadHarborDataset(folder, ALL_TASKS));
    expect(error.details.problems).toHaveLength(2);
    const chosen = await loadHarborDataset(folder, { globs: ['a'], limit: null });
    expect(chosen.map(({ task }) => task.taskId)).toEqual(['a']);
  });

  it('does not lose a task whose task.toml is missing', async () => {
    const folder = await dataset({ a: {} });
    const { 'task.toml': _, ...rest } = MINIMAL;
    await writeFiles(join(folder, 'b'), rest as Files);
    const error = await errorOf(loadHarborDataset(folder, ALL_TASKS));
    expect(error.message).toContain('b/task.toml: a task needs a task.toml');
  });
});

describe('--task and --tasks', () => {
  const tasks = ['csv-count', 'csv-sum', 'log-rotate'].map((taskId) => ({ taskId }));
  const select = (globs: string[], limit: number | null = null) =>
    selectTasks(tasks, { globs, limit }).map(({ taskId }) => taskId);

  it('choose by pattern, then by number, in the order of the tasks', () => {
    expect(select([])).toEqual(['csv-count', 'csv-sum', 'log-rotate']);
    expect(select(['log-*', 'csv-s*'])).toEqual(['csv-sum', 'log-rotate']);
    expect(select(['csv-*'], 1)).toEqual(['csv-count']);
  });

  it('name the task that a typing error meant', () => {
    expect(() => select(['csv-cuont'])).toThrow(
      expect.objectContaining({ code: 'bad_input', exitCode: 2, hint: 'Did you mean csv-count?' }),
    );
    expect(() => select(['nothing-like-it'])).toThrow(
      expect.objectContaining({ hint: 'There are 3 tasks: csv-count, csv-sum, log-rotate' }),
    );
  });
});
