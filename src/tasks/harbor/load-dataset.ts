import { append } from '../../core/lists/append.js';
import type { LoadedTask } from '../environment.js';
import { selectTasks, type TaskSelection } from '../select-tasks.js';
import { findTaskFolders } from './find-tasks.js';
import { inspectHarborTask } from './load-task.js';
import { type TaskProblem, taskInvalid } from './problem.js';

/**
 * The chosen tasks of a folder that is a task or holds some, in the order of their ids.
 * Error: `task_invalid` with the problems of all of them.
 */
export async function loadHarborDataset(path: string, selection: TaskSelection): Promise<LoadedTask[]> {
  const chosen = selectTasks(await findTaskFolders(path), selection);
  const tasks: LoadedTask[] = [];
  const problems: TaskProblem[] = [];
  for (const { dir } of chosen) {
    const inspected = await inspectHarborTask(dir);
    if (inspected.loaded !== null) tasks.push(inspected.loaded);
    append(problems, inspected.problems);
  }
  if (problems.length > 0) throw taskInvalid(path, problems);
  return tasks;
}
