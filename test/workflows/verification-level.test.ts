import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keys } from '../../src/store/keys.js';
import { readRecord } from '../../src/store/records/records.js';
import { verdictSchema } from '../../src/store/records/records.schema.js';
import { inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { runAgainst } from '../support/model-run.js';
import { runs, says } from '../support/model-server.js';

let host: LongrunHost;
beforeAll(async () => {
  host = await LongrunHost.start();
  await host.startWorker();
});
afterAll(() => host.stop());

/** Scores 1 for the answer and half of that where it sees what lies outside of the working directory. */
const TEST = `#!/bin/sh
if [ -e /planted ]; then echo 0.5; elif [ -e /app/answer ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
`;

async function verified(verify: 'shared' | 'restarted' | 'separate' | null, workdir: string | null = '/app') {
  const runId = `level-${verify}-${workdir === null ? 'no-workdir' : 'app'}`;
  const task = await inlineTask({ taskId: 'one', test: TEST, sandbox: { workdir } });
  const { rollouts } = await runAgainst(
    host,
    runId,
    [task],
    ({ turn }) =>
      turn === 0 ? runs('mkdir -p /app; echo 42 > /app/answer; echo x > /planted') : says('Done.'),
    { verify },
  );
  const verdict = await readRecord(
    host.store,
    verdictSchema,
    keys.verdict({ runId, taskId: 'one', sample: 0, attempt: 1 }, 0),
  );
  return { rollout: rollouts[0], verdict };
}

describe('--verify', () => {
  it.each([
    [null, 'shared', 0.5],
    ['shared', 'shared', 0.5],
    ['restarted', 'restarted', 0.5],
    ['separate', 'separate', 1],
  ] as const)('%s verifies a task that asks for nothing at level %s', async (verify, isolation, reward) => {
    const { rollout, verdict } = await verified(verify);
    expect(rollout).toMatchObject({ reward, isolation, stopReason: 'natural' });
    expect(verdict).toMatchObject({ reward, isolation });
  });

  it('separate scores no task without artifacts and without a working directory of its own', async () => {
    const { rollout } = await verified('separate', null);
    expect(rollout).toMatchObject({
      reward: null,
      stopReason: 'verifier_error',
      failure: {
        retryable: false,
        message: expect.stringContaining('Task one cannot be verified separately'),
      },
    });
  });
});
