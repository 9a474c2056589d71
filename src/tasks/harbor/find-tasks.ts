import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { badInput } from '../../core/errors.js';
import { append } from '../../core/lists/append.js';
import { taskIdOf } from './build-task.js';
import { type TaskProblem, taskInvalid } from './problem.js';

/** How far below a dataset folder tasks are looked for: `tasks/<suite>/<task>`. */
const DEEPEST = 3;

export interface TaskFolder {
  taskId: string;
  dir: string;
}

/**
 * The task folders of a path that is one or holds some, ordered by task id; other folders are passed over.
 * Errors: `bad_input` when there is none, `task_invalid` when two have the same id.
 */
export async function findTaskFolders(path: string): Promise<TaskFolder[]> {
  const stats = await stat(path).catch(() => null);
  if (stats === null) throw badInput(`${path} does not exist`, 'Name a task folder or a folder of tasks.');
  if (!stats.isDirectory()) {
    throw badInput(`${path} is not a folder`, 'A task is a folder with task.toml and instruction.md in it.');
  }
  const folders = (await search(path, 0)).map((dir) => ({ taskId: taskIdOf(dir), dir }));
  if (folders.length === 0) {
    throw badInput(`${path} holds no tasks`, 'A task is a folder with task.toml and instruction.md in it.');
  }
  const problems = duplicates(folders);
  if (problems.length > 0) throw taskInvalid(path, problems);
  return folders.sort((a, b) => (a.taskId < b.taskId ? -1 : 1));
}

/** A folder with an instruction and no task.toml counts: a task that vanished silently would go unnoticed. */
async function search(dir: string, depth: number): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true });
  const names = new Set(entries.map(({ name }) => name));
  if (names.has('task.toml') || (names.has('instruction.md') && names.has('tests'))) return [dir];
  if (depth === DEEPEST) return [];
  const found: string[] = [];
  for (const { name } of entries) {
    if (name.startsWith('.') || name === 'node_modules') continue;
    const isFolder = await stat(join(dir, name)).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
    if (isFolder) append(found, await search(join(dir, name), depth + 1));
  }
  return found;
}

function duplicates(folders: readonly TaskFolder[]): TaskProblem[] {
  const first = new Map<string, string>();
  return folders.flatMap(({ taskId, dir }) => {
    const other = first.get(taskId);
    first.set(taskId, other ?? dir);
    if (other === undefined) return [];
    const message = `the task id ${taskId} is taken by ${other}`;
    return [{ file: dir, line: null, found: basename(dir), accepted: 'a name of its own', message }];
  });
}
