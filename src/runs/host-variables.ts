import { join } from 'node:path';
import type { Settings } from '../config/settings.schema.js';
import { keyVariable } from '../config/upload-key.js';
import { badInput } from '../core/errors.js';
import type { SandboxSpec, Task } from '../core/rollout/task.schema.js';
import type { RunConfig } from '../core/run/run-config.schema.js';
import { type AskedVariable, askedVariables, missingVariables } from '../tasks/asked-variables.js';
import type { LoadedTask } from '../tasks/environment.js';
import { taskInvalid } from '../tasks/harbor/problem.js';
import { type HostEnv, isRunsOwn, passedEnv } from '../tasks/passed-env.js';

/** Names of tasks that a line shows. */
const SHOWN_TASKS = 5;

/** Whether what is to be passed to tasks may be. Throws `bad_input` for a variable that holds a secret of the run itself. */
export function checkPassEnv({ trajectory }: Pick<Settings, 'trajectory'>, config: RunConfig): void {
  const uploadKey = keyVariable(trajectory.uploadApiKey);
  const own = config.passEnv?.find((name) => isRunsOwn(name, config) || name === uploadKey);
  if (own === undefined) return;
  throw badInput(
    `--pass-env: found "${own}", which is the run's own; accepted: variables other than LONGRUN_*, TEMPORAL_*, AWS_* and those that hold a key or token of the run.`,
    OWN_HINT,
    { found: own },
  );
}

const OWN_HINT =
  "Give tasks what they need under another name; or keep the run's own key under another one, and name that with --api-key-env.";

/** Throws `task_invalid` for variables that tasks ask for and would not get, before anything is paid for. */
export function requireVariables(
  named: string,
  tasks: readonly LoadedTask[],
  config: RunConfig,
  env: HostEnv,
): void {
  const host = passedEnv(config, env);
  const problems = tasks.flatMap(({ task }) =>
    missingVariables(task, host, config.agent === 'oracle').map((asked) => ({
      file: join(task.metadata.source.path, 'task.toml'),
      line: null,
      found: asked.value,
      ...whyMissing(task.taskId, asked, config),
    })),
  );
  if (problems.length > 0) throw taskInvalid(named, problems);
}

function whyMissing(taskId: string, { variable, place }: AskedVariable, config: RunConfig) {
  const asks = `task ${taskId} asks for ${variable} in ${place}`;
  const fallback = `a default in the task: \${${variable}:-…}`;
  if (isRunsOwn(variable, config))
    return {
      message: `${asks}, which is the run's own and is passed to no task`,
      accepted: `another variable in the task, another one for the run's key (--api-key-env), or ${fallback}`,
    };
  if (!config.passEnv?.includes(variable))
    return {
      message: `${asks}, which is not passed to tasks`,
      accepted: `--pass-env ${variable}, or ${fallback}`,
    };
  return { message: `${asks}, which is not set`, accepted: `a value for ${variable} here, or ${fallback}` };
}

/** For the person who starts a run: which variables of the host go to which tasks. */
export function passedLines(tasks: readonly LoadedTask[], { passEnv, agent, network }: RunConfig): string[] {
  return (passEnv ?? []).map((name) => {
    const asking = tasks.filter(({ task }) =>
      askedVariables(task).some(
        ({ variable, solution }) => variable === name && (!solution || agent === 'oracle'),
      ),
    );
    if (asking.length === 0) return `--pass-env ${name}: none of the tasks asks for it.`;
    const connected = asking.some(({ task }) =>
      sandboxesOf(task).some((spec) => (network ?? spec.network) === 'public'),
    );
    const which = `${asking.length === 1 ? 'task' : `${asking.length} tasks:`} ${namesOf(asking)}`;
    return `${name} is passed to ${which}${connected ? ', with access to the network' : ''}.`;
  });
}

const sandboxesOf = ({ metadata, evalCriteria: { steps } }: Task): SandboxSpec[] => [
  metadata.sandbox,
  ...steps.flatMap(({ verifier }) => verifier.sandbox ?? []),
];

function namesOf(tasks: readonly LoadedTask[]): string {
  const names = tasks.slice(0, SHOWN_TASKS).map(({ task }) => task.taskId);
  return names.join(', ') + (tasks.length > SHOWN_TASKS ? ', …' : '');
}
