import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { RunConfig } from '../../../src/core/run/run-config.schema.js';
import { serveConfigSchema } from '../../../src/core/run/serve-config.schema.js';
import { type RolloutApiDeps, registerRolloutApi } from '../../../src/server/rollout-api/index.js';
import { createServer, listenOn } from '../../../src/sinks/listen/http/index.js';
import { openStore } from '../../../src/store/index.js';
import { PolicyLog } from '../../../src/store/policy-log.js';
import { readRun } from '../../../src/store/runs.js';
import type { ArtifactStore } from '../../../src/store/store.js';
import type { LoadedTask } from '../../../src/tasks/environment.js';
import { harborEnvironment } from '../../../src/tasks/harbor-environment.js';
import { answerTest, inlineTask } from '../../support/inline-task.js';
import { MODEL_RUN } from '../../support/model-run.js';
import { planRun } from '../../support/plan-run.js';
import { temporaryStateDir } from '../../support/state.js';
import { IdleCluster } from './idle-cluster.js';

export const SERVING = 'serving';
export const SERVE = serveConfigSchema.parse({
  atropos: null,
  listen: { host: '127.0.0.1', port: 0 },
  tinker: null,
  jsonl: null,
  hostId: 'here',
});

export interface ApiHost {
  url: string;
  store: ArtifactStore;
  cluster: IdleCluster;
  policies: PolicyLog;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  delete(path: string): Promise<Answer>;
  stop(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: documents as they came over the wire.
export type Answer = { status: number; body: any };

/** The tasks `one`, `two` and `three`. */
export const threeTasks = (): Promise<LoadedTask[]> =>
  Promise.all(['one', 'two', 'three'].map((taskId) => inlineTask({ taskId, test: answerTest('42') })));

/** A store with a run that serves. */
export async function servingStore(
  tasks: LoadedTask[],
  config: Partial<RunConfig> = {},
  stateDir?: string,
): Promise<ArtifactStore> {
  const store = await openStore(stateDir ?? (await temporaryStateDir()));
  await planRun(store, SERVING, tasks, {
    ...MODEL_RUN,
    baseUrl: 'http://127.0.0.1:9/v1',
    groupSize: 4,
    serve: SERVE,
    ...config,
  });
  return store;
}

/** A listener with the rollout API for the run that serves, of the running test. */
export async function listener(store: ArtifactStore, cluster = new IdleCluster()): Promise<ApiHost> {
  const api = await startListener(store, cluster);
  onTestFinished(api.stop);
  return api;
}

/** The same, for its caller to stop. */
export async function startListener(store: ArtifactStore, cluster = new IdleCluster()): Promise<ApiHost> {
  const policies = new PolicyLog(store, SERVING, Date.now);
  const stopping = new AbortController();
  const deps: RolloutApiDeps = {
    store,
    runs: cluster.runs,
    run: await readRun(store, SERVING),
    policies,
    environmentOf: ({ environment: { name, source } }) => harborEnvironment({ name, source, folder: source }),
    env: {},
    now: Date.now,
    newId: randomUUID,
    signal: stopping.signal,
  };
  const app = createServer({ logger: pino({ level: 'silent' }), host: '127.0.0.1', token: null });
  await registerRolloutApi(app, deps);
  const url = await listenOn(app, '127.0.0.1', 0);
  const stop = async () => {
    stopping.abort();
    await app.close();
  };
  return { url, store, cluster, policies, stop, ...clientOf(url) };
}

/** Asks an API and reads its documents. */
export function clientOf(url: string): Pick<ApiHost, 'get' | 'post' | 'delete'> {
  const ask = async (path: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, init);
    return { status: response.status, body: await response.json() };
  };
  return {
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, body, headers = {}) =>
      ask(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    delete: (path) => ask(path, { method: 'DELETE' }),
  };
}
