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
  /** Worth knowing, not wrong: no solution, no interpreter line, host variables that are not set. */
  notes: TaskProblem[];
}

export interface ValidateOptions {
  selection?: TaskSelection;
  hostEnv?: Readonly<Record<string, string | undefined>>;
  /** Asks the sandbox whether the task's images can be used: they need /bin/sh. */
  probe?: (loaded: LoadedTask) => Promise<Omit<TaskProblem, 'file' | 'line'>[]>;
}

/** Checks every task of a folder without running any. Errors: those of finding the tasks. */
export async function validateTasks(
  path: string,
  options: ValidateOptions = {},
): Promise<ValidationReport[]> {
  const { selection = ALL_TASKS, hostEnv = process.env, probe } = options;
  const reports: ValidationReport[] = [];
  for (const { taskId, dir } of selectTasks(await findTaskFolders(path), selection)) {
    const { loaded, problems, notes } = await inspectHarborTask(dir, { hostEnv: null });
    const report = { taskId, dir, problems: [...problems], notes: [...notes] };
    if (loaded !== null) {
      // A variable that is missing here may be set where the workers run.
      report.notes.push(...(await inspectHarborTask(dir, { hostEnv })).problems);
      const probed = (await probe?.(loaded)) ?? [];
      report.problems.push(...probed.map((problem) => ({ file: dir, line: null, ...problem })));
    }
    reports.push(report);
  }
  return reports;
}
