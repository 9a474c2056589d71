import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { rolloutWorkflowId } from '../../src/core/ids.js';
import { endpointName } from '../../src/model/limits/endpoint-name.js';
import { keys } from '../../src/store/keys.js';
import { readEndpointView } from '../../src/temporal/endpoint-keeper.js';
import { type Answer, refuses } from '../support/model-server.js';
import { until } from '../support/until.js';
import { ChaosRun } from './support/chaos-run.js';
import { expectInvariants } from './support/invariants.js';
import { watchRecovery } from './support/recovery.js';

/** Longer than the longest wait between two tries (a minute), and than the agent's time. */
const OUTAGE_MS = 75_000;
const TIMEOUT_MULTIPLIER = 0.5;

it('an outage of the model endpoint that outlasts every retry and the agent’s time fails no rollout', async () => {
  let down = false;
  const hangsUp: Answer = (response) => {
    response.destroy();
  };
  const outage = (nth: number): Answer => (nth % 2 === 0 ? hangsUp : refuses(502, 'bad gateway'));
  const chaos = await ChaosRun.start({
    runId: 'outage',
    sandbox: 'memory',
    capacity: 6,
    config: { concurrency: 12, timeoutMultiplier: TIMEOUT_MULTIPLIER },
    script: (call, usual) => (down ? outage(call.try) : usual),
  });
  await Promise.all(['one', 'two'].map((hostId) => chaos.startWorker({ hostId })));
  await chaos.begin();
  await chaos.underWay();
  down = true;
  const name = endpointName({ baseUrl: chaos.endpoint.baseUrl, apiKeyEnv: 'OPENAI_API_KEY' });
  await until(async () => (await readEndpointView(chaos.host.client, name))?.downSince != null, {
    what: 'the endpoint is known to be down',
  });
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
