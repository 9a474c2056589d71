import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { callAccounts } from '../support/call-accounts.js';
import { ChaosRun } from './support/chaos-run.js';
import { expectInvariants } from './support/invariants.js';
import { startLongrun } from './support/longrun-command.js';
import { makeReadOnly, makeWritable, mountOnItself } from './support/mounts.js';
import { watchRecovery } from './support/recovery.js';

const AWAY_MS = 60_000;

// Side by side: both do little but wait.
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
