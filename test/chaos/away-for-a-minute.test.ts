import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { rolloutWorkflowId } from '../../src/core/ids.js';
import { endpointName } from '../../src/model/limits/endpoint-name.js';
import { keys } from '../../src/store/keys.js';
import { readEndpointView } from '../../src/temporal/endpoint-keeper.js';
import { callAccounts } from '../support/call-accounts.js';
import { type Answer, refuses } from '../support/model-server.js';
import { until } from '../support/until.js';
import { type ChaosOptions, ChaosRun } from './support/chaos-run.js';
import { expectInvariants } from './support/invariants.js';
import { startLongrun } from './support/longrun-command.js';
import { makeReadOnly, makeWritable, mountOnItself } from './support/mounts.js';
import { watchRecovery } from './support/recovery.js';

const AWAY_MS = 60_000;

// Side by side: they do little but wait.
describe.concurrent('a store that cannot be written for a minute', () => {
  it('holds work up without losing what was paid for, and says so once', async ({ onTestFinished }) => {
    const chaos = await ChaosRun.start({ runId: 'store-away', sandbox: 'bubblewrap' }, onTestFinished);
    const { stateDir } = chaos.host;
    const up = startLongrun(stateDir, 'up', '--capacity', String(chaos.capacity));
    onTestFinished(async () => {
      up.process.kill('SIGKILL');
      await up.ended;
    });
    await up.says('is ready');
    const store = join(stateDir, 'store');
    mountOnItself(store, onTestFinished);
    await chaos.begin();
    await chaos.underWay();

    const sealed = await chaos.sealed();
    await makeReadOnly(store);
    chaos.letGo();
    const asked = chaos.endpoint.seen.length;
    await up.says('the store does not work: what is to be recorded is held until it does');
    await sleep(AWAY_MS);
    // No call is made that could not be recorded; the answers in the air are held.
    expect(chaos.endpoint.seen.length - asked).toBeLessThanOrEqual(chaos.capacity);
    expect(await chaos.sealed()).toBeLessThanOrEqual(sealed + chaos.capacity);
    expect(await chaos.sealed()).toBeLessThan(24);
    makeWritable(store);
    const recovered = await watchRecovery(chaos, 'store away for a minute (from its return)');
    await recovered();
    await up.says('the store works again');

    await expectInvariants(chaos, { takeovers: 0 });
    expect((await callAccounts(chaos.store, chaos.runId)).answered).toHaveLength(chaos.endpoint.seen.length);
    expect(up.output.stderr.match(/the store does not work/g)).toHaveLength(1);
    // Nor anything else again and again: a stack of a failure, say.
    expect(up.output.stderr.split('\n').length).toBeLessThan(40);
  });
});

describe.concurrent('every worker killed at once, and no worker for a minute', () => {
  it('costs the run that minute: both hosts take their own sandboxes up again', async ({
    onTestFinished,
  }) => {
    const options = { runId: 'all-killed', capacity: 5, config: { concurrency: 10 } };
    const chaos = await ChaosRun.start(options, onTestFinished);
    const hosts = ['first', 'second'];
    const workers = await Promise.all(hosts.map((hostId) => chaos.startWorker({ hostId })));
    await chaos.begin();
    await chaos.underWay({ sealed: 4 });
    await Promise.all(workers.map((worker) => chaos.killWorker(worker)));
    chaos.letGo();
    await sleep(AWAY_MS);
    const recovered = await watchRecovery(
      chaos,
      'SIGKILL of every worker (from the restart, after a minute)',
    );
    await Promise.all(hosts.map((hostId) => chaos.startWorker({ hostId })));
    await recovered();
    await expectInvariants(chaos, { takeovers: 1 });
  });
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

  // One call at a time tries it, further and further apart; nothing new is begun.
  expect(chaos.endpoint.seen.length - requests).toBeLessThan(OUTAGE_MS / 2_000);
  expect(await placements(chaos)).toBe(placed);
  // No slot is held: those that come when the next try is near wait for it, for a few seconds.
  await until(async () => (await atWork(chaos)) <= 1, { what: 'its callers have gone' });
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
