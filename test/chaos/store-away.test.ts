import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { callAccounts } from '../support/call-accounts.js';
import { ChaosRun } from './support/chaos-run.js';
import { expectInvariants } from './support/invariants.js';
import { startLongrun } from './support/longrun-command.js';
import { makeReadOnly, makeWritable, mountOnItself } from './support/mounts.js';
import { watchRecovery } from './support/recovery.js';

const MINUTE_MS = 60_000;

describe('a store that cannot be written for a minute', () => {
  it('holds work up without losing what was paid for, and says so once', async () => {
    const chaos = await ChaosRun.start({ runId: 'store-away', sandbox: 'bubblewrap' });
    const { stateDir } = chaos.host;
    const up = startLongrun(stateDir, 'up', '--capacity', String(chaos.capacity));
    onTestFinished(async () => {
      up.process.kill('SIGKILL');
      await up.ended;
    });
    await up.says('is ready');
    const store = join(stateDir, 'store');
    mountOnItself(store);
    await chaos.begin();
    await chaos.underWay();

    const sealed = await chaos.sealed();
    await makeReadOnly(store);
    const asked = chaos.endpoint.seen.length;
    await up.says('the store does not work: what is to be recorded is held until it does');
    await new Promise((resolve) => setTimeout(resolve, MINUTE_MS));
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
