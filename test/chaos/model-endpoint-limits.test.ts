import { afterAll, beforeAll, expect, it } from 'vitest';
import { endpointName } from '../../src/model/limits/endpoint-name.js';
import { readEndpointView } from '../../src/temporal/endpoint-keeper.js';
import { expectEveryRequestAccounted } from '../support/call-accounts.js';
import { type Child, spawnChild } from '../support/child.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { MODEL_RUN } from '../support/model-run.js';
import { ModelServer } from '../support/model-server.js';
import { until } from '../support/until.js';
import { LimitedEndpoint } from './support/limited-endpoint.js';

const HOSTS = ['one', 'two', 'three'];
const AT_ONCE = 5;
const PER_MINUTE = 60;
const CALL_MS = 2_000;
/** The first minute's calls are used up at once; then the limit is known. */
const WARM_UP_MS = 75_000;
const MEASURED_MS = 75_000;

let host: LongrunHost;
const workers: Child[] = [];
const limits = new LimitedEndpoint({ atOnce: AT_ONCE, perMinute: PER_MINUTE, callMs: CALL_MS });
let server: ModelServer;

beforeAll(async () => {
  host = await LongrunHost.start();
  server = await ModelServer.start((call) => limits.answer(call));
  const script = new URL('../support/host-worker.child.ts', import.meta.url);
  for (const hostId of HOSTS) workers.push(spawnChild(script, [host.stateDir, hostId, 'all', '8']));
  for (const worker of workers) expect(await worker.line()).toBe('ready');
});
afterAll(async () => {
  for (const worker of workers) await worker.kill();
  await server.close();
  await host.stop();
});

it('an endpoint that allows 5 at once and 60 a minute is used to the full by three processes, and hardly ever refuses', async () => {
  const task = await inlineTask({ taskId: 'one', test: answerTest('42') });
  const config = { ...MODEL_RUN, baseUrl: server.baseUrl, samples: 24, concurrency: 24, maxTurns: 100 };
  await host.plan('limits', [task], config);
  await host.runs.start('limits');
  await until(() => limits.seen.length > 0);
  const begun = Date.now();
  await new Promise((resolve) => setTimeout(resolve, WARM_UP_MS));
  const from = Date.now();
  await new Promise((resolve) => setTimeout(resolve, MEASURED_MS));
  const measured = limits.seen.filter(({ at }) => at >= from);
  const answered = measured.filter(({ refused }) => !refused).length;
  const possible = (PER_MINUTE * (Date.now() - from)) / 60_000;
  const view = await readEndpointView(host.client, endpointName({ ...config, apiKeyEnv: 'OPENAI_API_KEY' }));
  const story = `${limits.describe(begun)}; ${JSON.stringify(view)}`;
  expect(answered / possible, story).toBeGreaterThanOrEqual(0.85);
  expect((measured.length - answered) / measured.length, story).toBeLessThan(0.05);

  expect(view).toMatchObject({ processes: 3, downSince: null });
  expect(view?.requestsPerMinute).toBeGreaterThan(0.85 * PER_MINUTE);
  expect(view?.requestsPerMinute).toBeLessThan(1.3 * PER_MINUTE);
  expect(new Set(limits.seen.map(({ seed }) => seed)).size, 'every rollout had its turn').toBe(24);

  await host.runs.cancel('limits');
  await host.runs.wait('limits', AbortSignal.timeout(60_000));
  await expectEveryRequestAccounted(host.store, 'limits', server);
});
