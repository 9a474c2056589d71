import type { LoadedTask } from './environment.js';
import { findTaskFolders } from './harbor/find-tasks.js';
import { inspectHarborTask } from './harbor/load-task.js';
import type { TaskProblem } from './harbor/problem.js';
import { ALL_TASKS, selectTasks, type TaskSelection } from './select-tasks.js';

/** What `longrun tasks validate` says of one task. */
export interface ValidationReport {
  taskId: string;
  dir: string;
  problems: TaskProblem[];
  /** Worth knowing, not wrong: no solution, no interpreter line, variables of the host that it asks for. */
  notes: TaskProblem[];
}

export interface ValidateOptions {
  selection?: TaskSelection;
  /** Asks the sandbox whether the task's images can be used: they need /bin/sh. */
  probe?: (loaded: LoadedTask) => Promise<Omit<TaskProblem, 'file' | 'line'>[]>;
}

/** Checks every task of a folder without running any. Errors: those of finding the tasks. */
export async function validateTasks(
  path: string,
  options: ValidateOptions = {},
): Promise<ValidationReport[]> {
  const { selection = ALL_TASKS, probe } = options;
  const reports: ValidationReport[] = [];
  for (const { taskId, dir } of selectTasks(await findTaskFolders(path), selection)) {
    const { loaded, problems, notes } = await inspectHarborTask(dir);
    const report = { taskId, dir, problems: [...problems], notes: [...notes] };
    if (loaded !== null) {
      const probed = (await probe?.(loaded)) ?? [];
      report.problems.push(...probed.map((problem) => ({ file: dir, line: null, ...problem })));
    }
    reports.push(report);
  }
  return reports;
}
