import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, type TestContext } from 'vitest';
import { rolloutWorkflowId } from '../../src/core/ids.js';
import { endpointName } from '../../src/model/limits/endpoint-name.js';
import { keys } from '../../src/store/keys.js';
import { readEndpointView } from '../../src/temporal/endpoint-keeper.js';
import { expectEveryRequestAccounted } from '../support/call-accounts.js';
import { spawnChild } from '../support/child.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { MODEL_RUN } from '../support/model-run.js';
import { type Answer, ModelServer, refuses } from '../support/model-server.js';
import { until } from '../support/until.js';
import { type ChaosOptions, ChaosRun } from './support/chaos-run.js';
import { expectInvariants } from './support/invariants.js';
import { LimitedEndpoint } from './support/limited-endpoint.js';
import { watchRecovery } from './support/recovery.js';

// Side by side: both do little but wait.

const HOSTS = ['one', 'two', 'three'];
const AT_ONCE = 5;
const PER_MINUTE = 60;
const CALL_MS = 2_000;
/** The first minute's calls are used up at once; then the limit is known. */
const WARM_UP_MS = 75_000;
const MEASURED_MS = 75_000;

/** A host of three worker processes, and an endpoint that means its limits. */
async function threeProcesses({ onTestFinished }: TestContext) {
  const host = await LongrunHost.start();
  onTestFinished(() => host.stop());
  const limits = new LimitedEndpoint({ atOnce: AT_ONCE, perMinute: PER_MINUTE, callMs: CALL_MS });
  const server = await ModelServer.start((call) => limits.answer(call));
  onTestFinished(() => server.close());
  const script = new URL('../support/host-worker.child.ts', import.meta.url);
  const workers = HOSTS.map((hostId) => spawnChild(script, [host.stateDir, hostId, 'all', '8']));
  onTestFinished(async () => void (await Promise.all(workers.map((worker) => worker.kill()))));
  for (const worker of workers) expect(await worker.line()).toBe('ready');
  return { host, limits, server };
}

it.concurrent('an endpoint that allows 5 at once and 60 a minute is used to the full by three processes, and hardly ever refuses', async (context) => {
  const { host, limits, server } = await threeProcesses(context);
  const task = await inlineTask({ taskId: 'one', test: answerTest('42') });
  const config = { ...MODEL_RUN, baseUrl: server.baseUrl, samples: 24, concurrency: 24, maxTurns: 100 };
  await host.plan('limits', [task], config);
  await host.runs.start('limits');
  await until(() => limits.seen.length > 0);
  const begun = Date.now();
  await sleep(WARM_UP_MS);
  const from = Date.now();
  await sleep(MEASURED_MS);
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

/** Longer than the longest wait between two tries (a minute), and than the agent's time. */
const OUTAGE_MS = 75_000;
const TIMEOUT_MULTIPLIER = 0.5;
/** Until every process has heard of it: what one of them was placing meanwhile is there. */
const NEWS_MS = 5_000;

it.concurrent('an outage of the model endpoint that outlasts every retry and the agent’s time fails no rollout', async ({
  onTestFinished,
}) => {
  let down = false;
  const hangsUp: Answer = (response) => {
    response.destroy();
  };
  const outage = (nth: number): Answer => (nth % 2 === 0 ? hangsUp : refuses(502, 'bad gateway'));
  const options: ChaosOptions = {
    runId: 'outage',
    sandbox: 'memory',
    capacity: 6,
    config: { concurrency: 12, timeoutMultiplier: TIMEOUT_MULTIPLIER },
    script: (call, usual) => (down ? outage(call.try) : usual),
  };
  const chaos = await ChaosRun.start(options, onTestFinished);
  await Promise.all(['one', 'two'].map((hostId) => chaos.startWorker({ hostId })));
  await chaos.begin();
  await chaos.underWay();
  down = true;
  chaos.letGo();
  const name = endpointName({ baseUrl: chaos.endpoint.baseUrl, apiKeyEnv: 'OPENAI_API_KEY' });
  await until(async () => (await readEndpointView(chaos.host.client, name))?.downSince != null, {
    what: 'the endpoint is known to be down',
  });
  await sleep(NEWS_MS);
  const [placed, requests] = [await placements(chaos), chaos.endpoint.seen.length];
  await sleep(OUTAGE_MS);

  // One call at a time tries it, further and further apart; nothing new is begun, and no slot is held.
  expect(chaos.endpoint.seen.length - requests).toBeLessThan(OUTAGE_MS / 2_000);
  expect(await placements(chaos)).toBe(placed);
  expect(await atWork(chaos)).toBeLessThanOrEqual(1);
  down = false;
  const recovered = await watchRecovery(chaos, 'model endpoint away (from its return)');
  await recovered();
  await expectInvariants(chaos, { takeovers: 0, failedCalls: 20 });
});

/** Rollouts with a sandbox. */
async function placements(chaos: ChaosRun): Promise<number> {
  const names = (await chaos.rollouts()).map((key) => keys.placement({ ...key, attempt: 1 }));
  const found = await Promise.all(names.map((name) => chaos.store.get(name)));
  return found.filter((placement) => placement !== null).length;
}

/** Activities of rollouts that hold a slot of a worker now. */
async function atWork(chaos: ChaosRun): Promise<number> {
  const STARTED = 2;
  let started = 0;
  for (const key of await chaos.rollouts()) {
    const handle = chaos.host.client.workflow.getHandle(rolloutWorkflowId(key));
    const pending = await handle.describe().then(
      ({ raw }) => raw.pendingActivities ?? [],
      () => [],
    );
    started += pending.filter(({ state }) => state === STARTED).length;
  }
  return started;
}
