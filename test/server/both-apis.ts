import { rolloutApi } from '../../src/server/rollout-api/index.js';
import { harborEnvironment } from '../../src/tasks/harbor-environment.js';
import { Listening, listeningRun } from '../sinks/listen/support/listening.js';
import type { ServeRunOptions } from '../sinks/support/serve-run.js';
import { IdleCluster } from './rollout-api/idle-cluster.js';

/** The listener of a run of the running test, with all that it offers: the trainer API and the rollout API. */
export async function bothApis(options: ServeRunOptions = {}, token?: string): Promise<Listening> {
  const secured = token === undefined ? {} : { tokenEnv: 'API_TOKEN' };
  const serve = await listeningRun({ groupSize: 4, ...options, serve: { ...secured, ...options.serve } });
  return Listening.start(serve, {
    extensions: [idleRolloutApi()],
    ...(token === undefined ? {} : { token, env: { API_TOKEN: token } }),
  });
}

/** The rollout API beside a cluster that works on nothing. */
export const idleRolloutApi = (cluster = new IdleCluster()) =>
  rolloutApi({
    runs: cluster.runs,
    environmentOf: ({ environment: { name, source } }) => harborEnvironment({ name, source, folder: source }),
  });
