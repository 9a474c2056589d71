import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeJobOutput } from '../../src/report/write-job-output.js';
import { keys } from '../../src/store/keys.js';
import { readResult, readSealedResult } from '../../src/store/runs.js';
import { ReplayClient } from '../../src/temporal/replay-client.js';
import { answerTest, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { runAgainst } from '../support/model-run.js';
import { type Answer, refuses, runs, type SeenCall, says } from '../support/model-server.js';
import { finished, planned, replays } from '../support/replaying.js';
import { temporaryFolder } from '../support/state.js';
import { until } from '../support/until.js';

let host: LongrunHost;
beforeAll(async () => {
  host = await LongrunHost.start();
  await host.startWorker({ sliceMs: 500 });
});
afterAll(() => host.stop());

const solving = (call: SeenCall): Answer =>
  call.turn === 0 ? runs('mkdir -p /app; echo 42 > /app/answer') : says('Done.');
const one = (runId: string, sample = 0) => ({ runId, taskId: 'one', sample });

/** A run whose samples below `failing` were refused by the endpoint, which has recovered since. */
async function failedRun(runId: string, options: { samples: number; failing: number; maxAttempts?: number }) {
  const { samples, failing, ...config } = options;
  let broken = true;
  const task = await inlineTask({ taskId: 'one', test: answerTest('42') });
  const { rollouts, server } = await runAgainst(
    host,
    runId,
    [task],
    (call) => (broken && (call.seed ?? 0) - 1 < failing ? refuses(401, 'Incorrect API key') : solving(call)),
    { samples, ...config },
  );
  broken = false;
  return {
    rollouts,
    server,
    breakAgain: () => {
      broken = true;
    },
  };
}

describe('a replay of what failed', () => {
  it('makes a new attempt that counts: the run’s score, and where it comes from', async () => {
    const { rollouts } = await failedRun('rerun', { samples: 3, failing: 2 });
    expect(rollouts.map(({ stopReason }) => stopReason)).toEqual(['llm_error', 'llm_error', 'natural']);
    const { replay, rollouts: rows } = await replays(host, 'rerun', { failed: true });
    expect(replay.members).toHaveLength(2);
    expect(rows.map(({ counts, countingAttempt }) => [counts, countingAttempt])).toEqual([
      [true, 2],
      [true, 2],
    ]);
    const { summary, rollouts: now } = await host.document('rerun');
    expect(summary).toMatchObject({ nScored: 3, nPassed: 3, nInfrastructure: 0, meanReward: 1 });
    expect(now[0]).toMatchObject({
      attempt: 2,
      attempts: 2,
      reward: 1,
      stopReason: 'natural',
      replay: {
        replayId: replay.replayId,
        mode: 'rerun',
        nth: 1,
        source: { runId: 'rerun', taskId: 'one', sample: 0, attempt: 1 },
        fromTurn: null,
      },
    });
    expect(now[2]).toMatchObject({ attempt: 1, replay: null });
  });

  it('is what Harbor’s layout is written of, by name', async () => {
    await failedRun('harbor', { samples: 1, failing: 1 });
    const { replay } = await replays(host, 'harbor', { failed: true });
    const job = await writeJobOutput(host.store, await host.document('harbor'), await temporaryFolder());
    const trial = JSON.parse(await readFile(join(job, 'one__0', 'result.json'), 'utf8'));
    expect(trial.agent_result.metadata).toMatchObject({
      attempt: 2,
      replay: { replay_id: replay.replayId, mode: 'rerun', source: { attempt: 1 } },
    });
    expect(trial.verifier_result.rewards.reward).toBe(1);
    const trajectory = JSON.parse(await readFile(join(job, 'one__0', 'agent', 'trajectory.json'), 'utf8'));
    expect(JSON.stringify(trajectory)).toContain('echo 42 > /app/answer');
  });

  it('leaves the sealed record and the evidence of the first attempt as they were', async () => {
    await failedRun('kept', { samples: 1, failing: 1 });
    const sealed = await host.store.get(keys.result(one('kept')));
    const first = await host.store.get(keys.attemptRecord({ ...one('kept'), attempt: 1 }));
    await replays(host, 'kept', { failed: true });
    expect(await host.store.get(keys.result(one('kept')))).toEqual(sealed);
    expect(await host.store.get(keys.attemptRecord({ ...one('kept'), attempt: 1 }))).toEqual(first);
    expect(await readSealedResult(host.store, one('kept'))).toMatchObject({ stopReason: 'llm_error' });
    expect(await readResult(host.store, one('kept'))).toMatchObject({ reward: 1, attempt: 2 });
  });

  it('that fails again changes nothing, and the next one can still succeed', async () => {
    const { breakAgain, server } = await failedRun('twice', { samples: 1, failing: 1 });
    breakAgain();
    await replays(host, 'twice', { failed: true });
    expect(await readResult(host.store, one('twice'))).toMatchObject({
      attempt: 1,
      reward: null,
      replay: null,
    });
    expect(server.seen).toHaveLength(2);
    const { rollouts } = await replays(host, 'twice', { rollouts: ['one/0'], times: 2 }).then(
      (report) => report,
    );
    expect(rollouts.map(({ result }) => result?.attempt).sort()).toEqual([3, 4]);
  });

  it('takes rollouts that a cancelled run never started', async () => {
    const task = await inlineTask({ taskId: 'one', test: answerTest('42') });
    const model = 'scripted/turns-3-delay-400ms';
    await host.plan('cancelled', [task], { agent: 'tool-calling', model, samples: 2, concurrency: 1 });
    const done = host.finish('cancelled');
    await until(
      async () => (await host.store.children(keys.turns({ ...one('cancelled'), attempt: 1 }, 0))).length > 0,
    );
    await host.runs.cancel('cancelled');
    expect((await done).summary).toMatchObject({ nCancelled: 1, nOpen: 1 });
    await replays(host, 'cancelled', { failed: true });
    const { summary, rollouts } = await host.document('cancelled');
    expect(summary).toMatchObject({ nScored: 2, nCancelled: 0, nOpen: 0 });
    expect(rollouts.map(({ attempt }) => attempt)).toEqual([2, 1]);
  });
});

describe('a replay of a scored rollout', () => {
  it('is made only when it is asked for by name, and never counts', async () => {
    await failedRun('sealed', { samples: 2, failing: 0 });
    await expect(planned(host.store, 'sealed', { tasks: ['one'] })).rejects.toMatchObject({
      hint: expect.stringContaining('--include-sealed'),
    });
    const { rollouts } = await replays(host, 'sealed', { rollouts: ['sealed/one/1'] });
    expect(rollouts).toMatchObject([
      { counts: false, countingAttempt: 1, result: { attempt: 2, reward: 1 } },
    ]);
    expect(await readResult(host.store, one('sealed', 1))).toMatchObject({
      attempt: 1,
      attempts: 1,
      replay: null,
    });
  });
});

describe('a replay that is under way', () => {
  it('is cancelled without a trace on what counts', async () => {
    const task = await inlineTask({ taskId: 'one', test: answerTest('42') });
    await host.plan('stopping', [task], { agent: 'tool-calling', model: 'scripted/turns-40-delay-100ms' });
    const done = host.finish('stopping');
    await until(
      async () => (await host.store.children(keys.turns({ ...one('stopping'), attempt: 1 }, 0))).length > 0,
    );
    await host.runs.cancel('stopping');
    await done;
    const replay = await planned(host.store, 'stopping', { failed: true });
    const client = new ReplayClient(host.client, host.store);
    const ended = finished(host, replay);
    await until(
      async () => (await host.store.children(keys.turns({ ...one('stopping'), attempt: 2 }, 0))).length > 0,
    );
    await client.cancel('stopping', replay.replayId);
    const report = await ended;
    expect(report.replay.status).toBe('cancelled');
    expect(report.rollouts).toMatchObject([
      { counts: false, result: { stopReason: 'cancelled', attempt: 2 } },
    ]);
    expect(await planned(host.store, 'stopping', { failed: true })).not.toMatchObject({
      replayId: replay.replayId,
    });
  });

  it('is found again by the same request, and asks nothing twice', async () => {
    const { server } = await failedRun('again', { samples: 4, failing: 4 });
    const before = server.seen.length;
    const replay = await planned(host.store, 'again', { failed: true });
    expect((await planned(host.store, 'again', { failed: true })).replayId).toBe(replay.replayId);
    await Promise.all([finished(host, replay), finished(host, replay)]);
    await finished(host, replay);
    expect(server.seen.length - before).toBe(8);
  });
});
