import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keys } from '../../src/store/keys.js';
import { readRecord } from '../../src/store/records/records.js';
import type { Verdict } from '../../src/store/records/records.schema.js';
import { verdictSchema } from '../../src/store/records/records.schema.js';
import { type InlineTask, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { runAgainst } from '../support/model-run.js';
import { runs, says } from '../support/model-server.js';

let host: LongrunHost;
beforeAll(async () => {
  host = await LongrunHost.start();
  await host.startWorker();
});
afterAll(() => host.stop());

const script = (lines: string) => `#!/bin/sh\n${lines}\n`;

/** One rollout of an agent that runs `command` and ends. */
async function rolloutOf(runId: string, task: Omit<InlineTask, 'taskId'>, command = 'true') {
  const loaded = await inlineTask({ taskId: 'one', ...task });
  const { rollouts, server } = await runAgainst(host, runId, [loaded], ({ turn }) =>
    turn === 0 ? runs(command) : says('Done.'),
  );
  const [rollout] = rollouts;
  if (!rollout) throw new Error('the run has no result');
  return { rollout, server };
}

async function verdictOf(runId: string): Promise<Verdict | null> {
  const key = { runId, taskId: 'one', sample: 0, attempt: 1 };
  return readRecord(host.store, verdictSchema, keys.verdict(key, 0));
}

describe('tests that give no score', () => {
  const BROKEN: [name: string, test: string, words: string][] = [
    ['write nothing', 'true', 'neither reward.json nor reward.txt'],
    ['write no number', 'echo passed > /logs/verifier/reward.txt', 'reward.txt holds passed'],
    ['write broken JSON', 'echo "{" > /logs/verifier/reward.json', 'reward.json is not JSON'],
    ['name no key', 'echo \'{"a": 1, "b": 0}\' > /logs/verifier/reward.json', 'none is called reward'],
  ];
  it.each(BROKEN)(
    'because they %s make a verifier error, never a 0, and the agent is not paid again',
    async (name, test, words) => {
      const { rollout, server } = await rolloutOf(name.replaceAll(' ', '-'), { test: script(test) });
      expect(rollout).toMatchObject({
        reward: null,
        rewards: {},
        stopReason: 'verifier_error',
        failureClass: 'infrastructure',
        queueState: 'terminal_failure',
        attempts: 1,
        turns: 2,
        failure: { retryable: false, message: expect.stringContaining(words) },
      });
      expect(server.seen).toHaveLength(2);
    },
  );

  it('because they never end make a verifier timeout, and the agent is not paid again', async () => {
    const { rollout, server } = await rolloutOf('endless', {
      test: script('echo 1 > /logs/verifier/reward.txt; echo begun; sleep 60'),
      verifier: { timeoutMs: 1_000 },
    });
    expect(rollout).toMatchObject({
      reward: null,
      stopReason: 'verifier_timeout',
      attempts: 1,
      failure: { code: 'verifier_timeout', retryable: false },
    });
    expect(server.seen).toHaveLength(2);
  });

  it('are reported beside the score, and not in it', async () => {
    const good = await inlineTask({ taskId: 'good', test: script('echo 1 > /logs/verifier/reward.txt') });
    const bad = await inlineTask({ taskId: 'bad', test: script('true') });
    const { summary } = await runAgainst(host, 'beside', [good, bad], () => says('Done.'));
    expect(summary).toMatchObject({
      nScored: 1,
      nInfrastructure: 1,
      meanReward: 1,
      meanRewardWithFailures: 0.5,
    });
  });
});

describe('what an agent plants for the tests', () => {
  it('does not count, and is reported as suspected tampering', async () => {
    const plant =
      'mkdir -p /logs/verifier /tests; echo 1 > /logs/verifier/reward.txt; echo x > /tests/test.sh';
    const test = script(
      '[ -e /app/answer ] && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt',
    );
    const { rollout } = await rolloutOf('planted', { test }, plant);
    expect(rollout).toMatchObject({
      reward: 0,
      stopReason: 'natural',
      queueState: 'needs_human_review',
      suspectedTampering: expect.arrayContaining(['added /logs/verifier/reward.txt', 'added /tests/test.sh']),
    });
  });

  it('does not reach a separate verifier, which gets the declared artifacts only', async () => {
    const test = script(`
[ -e /app/scratch ] && echo "saw the scratch file"
[ -e /planted ] && echo "saw what was planted"
cp /app/out/answer /logs/verifier/reward.txt`);
    const { rollout } = await rolloutOf(
      'separate',
      {
        test,
        verifier: { isolation: 'separate' },
        step: { artifacts: [{ source: '/app/out', destination: 'out', exclude: [] }] },
      },
      'mkdir -p /app/out; echo 0.5 > /app/out/answer; echo x > /app/scratch; echo x > /planted',
    );
    expect(rollout).toMatchObject({ reward: 0.5, isolation: 'separate', suspectedTampering: [] });
    expect((await verdictOf('separate'))?.testOutput).toBe('');
  });
});
