import { onTestFinished } from 'vitest';
import type { RunConfig } from '../../src/core/run/run-config.schema.js';
import type { RunDocument } from '../../src/records/summary.js';
import type { LoadedTask } from '../../src/tasks/environment.js';
import type { LongrunHost } from './longrun-host.js';
import { type Answer, ModelServer, type SeenCall } from './model-server.js';

export const MODEL_RUN = { agent: 'tool-calling', model: 'test-model' } as const;

/** A model endpoint of the running test, closed when it ends. */
export async function modelServer(script: (call: SeenCall) => Answer): Promise<ModelServer> {
  const server = await ModelServer.start(script);
  onTestFinished(() => server.close());
  return server;
}

/** Plans a run of these tasks against a model that answers by `script`, and waits for its end. */
export async function runAgainst(
  host: LongrunHost,
  runId: string,
  tasks: LoadedTask[],
  script: (call: SeenCall) => Answer,
  config: Partial<RunConfig> = {},
): Promise<RunDocument & { server: ModelServer }> {
  const server = await modelServer(script);
  await host.plan(runId, tasks, { ...MODEL_RUN, baseUrl: server.baseUrl, ...config });
  return { ...(await host.finish(runId)), server };
}
