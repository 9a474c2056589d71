import { randomBytes } from 'node:crypto';
import type { ServerExtension } from '../../sinks/listen/http/server-extension.js';
import { cancelRequests } from './cancel-requests.js';
import type { RolloutApiDeps } from './deps.js';
import { registerRolloutApi } from './register.js';

export type { RolloutApiDeps } from './deps.js';
export { registerRolloutApi } from './register.js';

/** Part of a run id that people type: short, and one of 2^48. */
const newId = (): string => randomBytes(6).toString('hex');

/** The rollout API as a part of the listener of a run. */
export function rolloutApi(deps: Pick<RolloutApiDeps, 'runs' | 'environmentOf'>): ServerExtension {
  return {
    add: (app, { run, store, policies, env, now, signal }) =>
      registerRolloutApi(app, { ...deps, run, store, policies, env, now, signal, newId }),
    cancelled: ({ run, store }) => cancelRequests({ ...deps, store }, run.runId),
  };
}
