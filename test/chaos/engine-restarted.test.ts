import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { RolloutKey } from '../../src/core/ids.js';
import { SECOND_MS } from '../../src/core/time.js';
import { readStepHistory } from '../../src/rollout/turns/step-history.js';
import { keys } from '../../src/store/keys.js';
import { readRecord } from '../../src/store/records/records.js';
import { attemptRecordSchema } from '../../src/store/records/records.schema.js';
import { readResult } from '../../src/store/runs.js';
import { containersOf } from '../support/docker-host.js';
import { OwnEngine } from '../support/own-engine.js';
import { until } from '../support/until.js';
import { atWork } from './support/at-work.js';
import { ChaosRun } from './support/chaos-run.js';
import { brokenInvariants, expectInvariants } from './support/invariants.js';
import { watchRecovery } from './support/recovery.js';

afterEach(() => vi.unstubAllEnvs());

/** The engine is away for so long. */
const AWAY_MS = 4 * SECOND_MS;

/** A run of 24 rollouts on an engine of its own, which ends and comes back while they are at work. */
async function engineRestarted(runId: string, liveRestore: boolean, signal: 'SIGKILL' | 'SIGTERM') {
  const engine = await OwnEngine.start({ liveRestore });
  onTestFinished(() => engine.close());
  vi.stubEnv('DOCKER_HOST', engine.address);
  const chaos = await ChaosRun.start({ runId });
  await chaos.startWorker();
  await chaos.begin();
  await chaos.underWay();
  await until(async () => (await containersOf(chaos.store)).length > 0);
  const interrupted = await atWork(chaos);
  await engine.end(signal);
  chaos.letGo();
  await sleep(AWAY_MS);
  await engine.startEngine();
  const row = `engine restarted: ${runId} (from its return)`;
  const recovered = await watchRecovery(chaos, row, async () => interrupted);
  await recovered();
  return chaos;
}

/** Rollouts whose first attempt lost its sandbox. */
async function losers(chaos: ChaosRun): Promise<number> {
  let lost = 0;
  for (const key of await chaos.rollouts()) {
    const first = await firstAttempt(chaos, key);
    const result = await readResult(chaos.store, key);
    expect(result).toMatchObject({ attempts: first?.stopReason === 'sandbox_lost' ? 2 : 1 });
    if (first?.stopReason === 'sandbox_lost') lost += 1;
  }
  return lost;
}

describe('a Docker engine that is restarted in the middle of a run', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)(
    '(by %s) takes its containers along: those rollouts get another attempt, placing waits meanwhile',
    async (signal) => {
      const chaos = await engineRestarted(`restarted-${signal.toLowerCase()}`, false, signal);
      await expectInvariants(chaos, { takeovers: 0, attempts: 2 });
      expect(await losers(chaos)).toBeGreaterThan(0);
    },
  );

  it('(by SIGKILL, with live restore) leaves the containers alive; a start that was in the air is never repeated', async () => {
    const chaos = await engineRestarted('live-restored', true, 'SIGKILL');
    await chaos.finished();
    const unknown = await startsInTheAir(chaos);
    // An engine that comes back has forgotten what it was asked to start: with its outcome unknown, nothing is run twice.
    const broken = (await brokenInvariants(chaos, { takeovers: 0 })).filter(
      (sentence) => !unknown.some((name) => sentence.startsWith(`${name}:`)),
    );
    expect(broken).toEqual([]);
    expect(unknown.length).toBeLessThan((await chaos.rollouts()).length / 2);
    for (const key of await chaos.rollouts())
      expect((await firstAttempt(chaos, key))?.stopReason).not.toBe('sandbox_lost');
  });
});

/** Rollouts of which a command, or the tests, had been announced and not seen to start when the engine died. */
async function startsInTheAir(chaos: ChaosRun): Promise<string[]> {
  const names: string[] = [];
  for (const key of await chaos.rollouts()) {
    const first = await firstAttempt(chaos, key);
    const { turns } = await readStepHistory(chaos.store, { ...key, attempt: 1 }, 0);
    const commands = turns.flatMap(({ results }) => results.map(({ error }) => error));
    if (first?.failure?.code === 'verifier_failed' || commands.includes('outcome_unknown'))
      names.push(`${key.taskId}/${key.sample}`);
  }
  return names;
}

function firstAttempt({ store }: ChaosRun, key: RolloutKey) {
  return readRecord(store, attemptRecordSchema, keys.attemptRecord({ ...key, attempt: 1 }));
}
