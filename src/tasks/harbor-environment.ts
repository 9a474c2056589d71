import { TOOL_NAMES } from '../agent/tools/registry.js';
import type { SandboxSpec, Task } from '../core/rollout/task.schema.js';
import type { Environment, LoadedTask } from './environment.js';
import { loadHarborDataset } from './harbor/load-dataset.js';
import type { HostEnv } from './passed-env.js';
import { ALL_TASKS, type TaskSelection } from './select-tasks.js';
import { verifyByTests } from './verification/verify-by-tests.js';

export interface HarborEnvironmentOptions {
  name: string;
  source: string;
  /** A task folder, or a folder of tasks. */
  folder: string;
  passThreshold?: number;
  selection?: TaskSelection;
  /** Where `${VAR}` of the tasks is looked up when they are scored; by default they are given nothing. */
  hostEnv?: HostEnv;
}

/** A folder of Harbor tasks as a benchmark: the instruction as it stands, scored by each task's tests. */
export function harborEnvironment(options: HarborEnvironmentOptions): Environment {
  const { name, source, folder, passThreshold = 1, selection = ALL_TASKS, hostEnv = {} } = options;
  return {
    name,
    source,
    passThreshold,
    tools: TOOL_NAMES,
    async *items(cursor: string | null): AsyncIterable<LoadedTask> {
      for (const loaded of await loadHarborDataset(folder, selection)) {
        if (cursor === null || loaded.task.taskId > cursor) yield loaded;
      }
    },
    formatPrompt: (task: Task, step: number): string =>
      task.evalCriteria.steps[step]?.instruction ?? task.inputs.instruction,
    sandbox: (task: Task): SandboxSpec => task.metadata.sandbox,
    computeReward: (task, step, context) => verifyByTests(task, step, context, hostEnv),
  };
}
