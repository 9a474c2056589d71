import { resolveEnvironment } from '../../environments/resolve-environment.js';
import { badInput } from '../core/errors.js';
import type { Task } from '../core/rollout/task.schema.js';
import type { LoadedTask } from '../tasks/environment.js';
import { ALL_TASKS, type TaskSelection } from '../tasks/select-tasks.js';

/** The tasks of an environment or folder, loaded and checked. Errors: `bad_input`, `task_invalid`. */
export async function loadTasks(
  named: string,
  selection: TaskSelection = ALL_TASKS,
): Promise<{ environment: Awaited<ReturnType<typeof resolveEnvironment>>; tasks: LoadedTask[] }> {
  const environment = await resolveEnvironment(named, { selection });
  const tasks: LoadedTask[] = [];
  for await (const task of environment.items(null)) tasks.push(task);
  if (tasks.length > 0) return { environment, tasks };
  throw badInput(`${named} holds no tasks.`, 'A task is a folder with task.toml and instruction.md.');
}

/** One task by its id. Throws `bad_input` with a suggestion when there is none of that id. */
export async function loadTask(named: string, taskId: string): Promise<Task> {
  const { tasks } = await loadTasks(named, { globs: [taskId], limit: 1 });
  return (tasks[0] as LoadedTask).task;
}
