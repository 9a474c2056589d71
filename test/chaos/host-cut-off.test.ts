import { expect, it } from 'vitest';
import type { AttemptKey } from '../../src/core/ids.js';
import type { AtCheckpoint } from '../../src/rollout/checkpoints.js';
import { keys } from '../../src/store/keys.js';
import { readRecord } from '../../src/store/records/records.js';
import { verdictSchema } from '../../src/store/records/records.schema.js';
import { readResult } from '../../src/store/runs.js';
import { until } from '../support/until.js';
import { ChaosRun } from './support/chaos-run.js';
import { attemptOf, atWorkOn, givenUp } from './support/hosts.js';
import { expectInvariants } from './support/invariants.js';
import { watchRecovery } from './support/recovery.js';
import { TcpProxy } from './support/tcp-proxy.js';

/** Holds attempts where their tests are over and the verdict is about to be written. */
class Hold {
  readonly held: AttemptKey[] = [];
  private release: () => void = () => undefined;
  private readonly released = new Promise<void>((resolve) => {
    this.release = resolve;
  });

  readonly atCheckpoint: AtCheckpoint = async (checkpoint, key) => {
    if (checkpoint !== 'verification:effect') return;
    this.held.push(key);
    await this.released;
  };

  letGo(): void {
    this.release();
  }
}

it('a host cut off from Temporal but not from the store finishes given-up attempts: their verdicts are ignored', async () => {
  const chaos = await ChaosRun.start({ runId: 'cut-off', config: { hostLossMs: 3_000 } });
  const line = await TcpProxy.start(chaos.host.cluster.address);
  const hold = new Hold();
  const cluster = { ...chaos.host.cluster, address: line.address, connection: { address: line.address } };
  const cutOff = await chaos.host.startWorker({
    hostId: 'cut-off',
    role: 'host',
    concurrency: 8,
    cluster,
    atCheckpoint: hold.atCheckpoint,
  });
  await chaos.startWorker({ hostId: 'connected' });
  await chaos.begin();
  await until(() => hold.held.length >= 2, { limitMs: 120_000, what: 'the host is about to write verdicts' });
  line.cut();
  const recovered = await watchRecovery(chaos, 'host cut off from Temporal', () =>
    atWorkOn(chaos, 'cut-off'),
  );

  const moved = await givenUp(chaos, [...hold.held]);
  expect(moved.length).toBeGreaterThan(0);
  await recovered();
  for (const key of moved) expect(await verdictOf(chaos, key)).toBeNull();
  hold.letGo();
  await until(async () =>
    (await Promise.all(moved.map((key) => verdictOf(chaos, key)))).every((v) => v !== null),
  );
  line.restore();

  await expectInvariants(chaos, { takeovers: 1, attempts: 2 });
  for (const key of moved) {
    // The verdict is there, and is not what counts.
    expect((await verdictOf(chaos, key))?.reward).not.toBeNull();
    expect(await attemptOf(chaos, key)).toMatchObject({ stopReason: 'sandbox_lost', reward: null });
    expect(await readResult(chaos.store, key)).toMatchObject({ attempt: 2, attempts: 2 });
  }
  await cutOff.shutdown();
  await line.close();
});

function verdictOf({ store }: ChaosRun, key: AttemptKey) {
  return readRecord(store, verdictSchema, keys.verdict(key, 0));
}
