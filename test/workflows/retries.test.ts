import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RETRY_RULES } from '../../src/core/rollout/retry-policy.js';
import { keys } from '../../src/store/keys.js';
import { readRecord } from '../../src/store/records/records.js';
import { attemptRecordSchema, placementSchema } from '../../src/store/records/records.schema.js';
import { answerTest, inlineSteps, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { runAgainst } from '../support/model-run.js';
import { says } from '../support/model-server.js';

let host: LongrunHost;
beforeAll(async () => {
  host = await LongrunHost.start();
  await host.startWorker();
});
afterAll(() => host.stop());

const SICK = {
  command: 'false',
  intervalMs: 20,
  timeoutMs: 2_000,
  startPeriodMs: 0,
  startIntervalMs: 20,
  retries: 2,
};
/** The second step needs a service that is never well: `provision_error`, worth another attempt. */
const sickTask = (taskId: string) =>
  inlineSteps({
    taskId,
    steps: [
      { name: 'first', test: answerTest('42') },
      { name: 'second', test: answerTest('42'), step: { healthcheck: SICK } },
    ],
  });
const done = () => says('Done.');

describe('an attempt that failed for reasons of infrastructure', () => {
  it('is followed by others within the limit of the run, each after a wait without a sandbox', async () => {
    const { rollouts } = await runAgainst(host, 'again', [await sickTask('one')], done, { maxAttempts: 3 });
    expect(rollouts[0]).toMatchObject({ stopReason: 'provision_error', reward: null, attempts: 3 });
    const at = (attempt: number) => ({ runId: 'again', taskId: 'one', sample: 0, attempt });
    for (const attempt of [1, 2]) {
      const ended = await readRecord(host.store, attemptRecordSchema, keys.attemptRecord(at(attempt)));
      const next = await readRecord(host.store, placementSchema, keys.placement(at(attempt + 1)));
      const waited = (next?.createdAt ?? 0) - (ended?.timings.finishedAt ?? 0);
      expect(waited).toBeGreaterThanOrEqual(RETRY_RULES.provision_error.firstDelayMs / 2);
    }
  });

  it('is followed by as many as the settings of the run give its kind', async () => {
    const { rollouts } = await runAgainst(host, 'once', [await sickTask('one')], done, {
      maxAttempts: 5,
      retries: { provision_error: 1 },
    });
    expect(rollouts[0]).toMatchObject({ stopReason: 'provision_error', attempts: 1 });
  });

  it('is not tried again when its tests hang, unless somebody asks for it', async () => {
    const hanging = (taskId: string) =>
      inlineTask({ taskId, test: '#!/bin/sh\nsleep 60\n', verifier: { timeoutMs: 300 } });
    const never = await runAgainst(host, 'hangs', [await hanging('one')], done, { maxAttempts: 3 });
    expect(never.rollouts[0]).toMatchObject({ stopReason: 'verifier_timeout', reward: null, attempts: 1 });
    const asked = await runAgainst(host, 'hangs-again', [await hanging('one')], done, {
      maxAttempts: 3,
      retries: { verifier_timeout: 2 },
    });
    expect(asked.rollouts[0]).toMatchObject({ stopReason: 'verifier_timeout', reward: null, attempts: 2 });
  });
});
