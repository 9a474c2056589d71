import type { AttemptKey } from '../src/core/ids.js';
import { destroySandboxes } from '../src/rollout/destroy.js';
import type { ActivityDeps } from './activity-deps.js';
import { withLifecycle } from './with-lifecycle.js';

export interface ControlActivities {
  /** Removes what an attempt has on this host; idempotent. */
  destroySandbox(key: AttemptKey): Promise<void>;
}

export function createControlActivities(deps: ActivityDeps): ControlActivities {
  return { destroySandbox: (key) => withLifecycle(deps.shutdown, () => destroySandboxes(deps, key)) };
}
