import picomatch from 'picomatch';
import { badInput } from '../core/errors.js';
import { closest } from '../core/text/closest.js';

/** Which tasks of an environment to take: `--task` and `--tasks`. */
export interface TaskSelection {
  /** Patterns of task ids, any of which may match; empty = all. */
  globs: readonly string[];
  /** At most so many, from the start; null = all. */
  limit: number | null;
}

export const ALL_TASKS: TaskSelection = { globs: [], limit: null };

/** The chosen tasks in their order. Error: `bad_input` for a pattern that matches none. */
export function selectTasks<T extends { taskId: string }>(
  tasks: readonly T[],
  selection: TaskSelection,
): T[] {
  const matchers = selection.globs.map((glob) => {
    const matches = picomatch(glob);
    if (!tasks.some(({ taskId }) => matches(taskId))) throw noSuchTask(glob, tasks);
    return matches;
  });
  const chosen =
    matchers.length === 0
      ? [...tasks]
      : tasks.filter(({ taskId }) => matchers.some((matches) => matches(taskId)));
  return selection.limit === null ? chosen : chosen.slice(0, selection.limit);
}

function noSuchTask(glob: string, tasks: readonly { taskId: string }[]) {
  const ids = tasks.map(({ taskId }) => taskId);
  const meant = closest(glob, ids);
  const some = ids.slice(0, 10).join(', ');
  const hint =
    meant === null
      ? `There are ${ids.length} tasks: ${some}${ids.length > 10 ? ', …' : ''}`
      : `Did you mean ${meant}?`;
  return badInput(`no task matches --task ${glob}`, hint, { found: glob, accepted: ids });
}
