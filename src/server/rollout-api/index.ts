import { randomUUID } from 'node:crypto';
import type { ServerExtension } from '../server-extension.js';
import type { RolloutApiDeps } from './deps.js';
import { registerRolloutApi } from './register.js';

export type { RolloutApiDeps } from './deps.js';
export { registerRolloutApi } from './register.js';

/** The rollout API as a part of the listener of a run. */
export function rolloutApi(deps: Pick<RolloutApiDeps, 'runs' | 'environmentOf'>): ServerExtension {
  return (app, { run, store, policies, env, now, signal }) =>
    registerRolloutApi(app, { ...deps, run, store, policies, env, now, signal, newId: randomUUID });
}
