import { rolloutApi } from '../../../../src/server/rollout-api/index.js';
import { openStore } from '../../../../src/store/index.js';
import { harborEnvironment } from '../../../../src/tasks/harbor-environment.js';
import { IdleCluster } from '../../../server/rollout-api/idle-cluster.js';
import { tempStateDir } from '../../../store/temp-store.js';
import { ServeRun, type ServeRunOptions } from '../../support/serve-run.js';
import type { ExecutorOptions } from '../../support/sink-executor.js';
import { Listening, ON_LOOPBACK } from '../support/listening.js';

interface BothOptions extends ServeRunOptions, Pick<ExecutorOptions, 'logger'> {
  token?: string;
  cluster?: IdleCluster;
  stateDir?: string;
}

/** The listener of a run of the running test, with all that it offers: the trainer API and the rollout API. */
export async function bothApis({
  token,
  cluster,
  logger,
  stateDir,
  ...options
}: BothOptions = {}): Promise<Listening> {
  const secured = token === undefined ? {} : { tokenEnv: 'API_TOKEN' };
  const store = await openStore(stateDir ?? (await tempStateDir()));
  const serve = await ServeRun.plan(store, {
    groupSize: 4,
    ...options,
    serve: { ...ON_LOOPBACK, ...secured, ...options.serve },
  });
  return Listening.start(serve, {
    extensions: [idleRolloutApi(cluster)],
    ...(token === undefined ? {} : { token, env: { API_TOKEN: token } }),
    ...(logger === undefined ? {} : { logger }),
  });
}

/** The rollout API beside a cluster that works on nothing. */
function idleRolloutApi(cluster = new IdleCluster()) {
  return rolloutApi({
    runs: cluster.runs,
    environmentOf: ({ environment: { name, source } }) => harborEnvironment({ name, source, folder: source }),
  });
}
