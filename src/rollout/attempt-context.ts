import type { AttemptKey } from '../core/ids.js';
import type { Fence } from '../core/rollout/fence.js';
import type { Lifecycle } from '../core/rollout/lifecycle.js';
import type { Task, TaskStep } from '../core/rollout/task.schema.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { Placement, RunRecord } from '../store/records/records.schema.js';
import type { RolloutDeps } from './deps.js';

/** Everything one executor needs to act for an attempt: the records, the sandbox, its fence. */
export interface AttemptContext {
  deps: RolloutDeps;
  key: AttemptKey;
  fence: Fence;
  lifecycle: Lifecycle;
  run: RunRecord;
  task: Task;
  step: number;
  stepSpec: TaskStep;
  placement: Placement;
  sandbox: Sandbox;
  /** Throws unless this executor is still the newest and may go on. Before every effect. */
  guard(): Promise<void>;
}
