import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AttemptKey } from '../../src/core/ids.js';
import { readStepHistory } from '../../src/rollout/turns/step-history.js';
import { keys } from '../../src/store/keys.js';
import { readRecord } from '../../src/store/records/records.js';
import { attemptRecordSchema, toolResultSchema } from '../../src/store/records/records.schema.js';
import { inlineSteps, inlineTask } from '../support/inline-task.js';
import { LongrunHost } from '../support/longrun-host.js';
import { runAgainst } from '../support/model-run.js';
import { type Answer, refuses, runs, type SeenCall, says } from '../support/model-server.js';
import { replays } from '../support/replaying.js';

let host: LongrunHost;
beforeAll(async () => {
  host = await LongrunHost.start();
  await host.startWorker({ sliceMs: 500 });
});
afterAll(() => host.stop());

/** Scores 1 when the commands of four turns ran once each, in order, in the sandbox that is tested. */
const IN_ORDER = `#!/bin/bash
mkdir -p /logs/verifier
if [ "$(cat /app/log)" = "$(printf '0\\n1\\n2\\n3')" ]; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi
`;
const logging = (call: SeenCall): Answer =>
  call.turn < 4 ? runs(`mkdir -p /app; echo ${call.turn} >> /app/log; wc -l < /app/log`) : says('Done.');

const attempt = (runId: string, n: number): AttemptKey => ({ runId, taskId: 'one', sample: 0, attempt: n });

/** A rollout whose endpoint refused from turn `failsAt` on, and answers now. */
async function brokenOff(runId: string, failsAt: number, script: (call: SeenCall) => Answer = logging) {
  let broken = true;
  const task = await inlineTask({ taskId: 'one', test: IN_ORDER });
  const { server } = await runAgainst(host, runId, [task], (call) =>
    broken && call.turn >= failsAt ? refuses(401, 'Incorrect API key') : script(call),
  );
  broken = false;
  const before = server.seen.length;
  return { server, asked: () => server.seen.slice(before).map(({ turn }) => turn) };
}

async function commandsOf(runId: string, n: number): Promise<string[]> {
  const { turns } = await readStepHistory(host.store, attempt(runId, n), 0);
  return turns.flatMap(({ call }) => call.message.toolCalls.map(({ arguments: text }) => text));
}

describe('a rollout that is resumed', () => {
  it('executes its recorded commands again and asks the model only from there on', async () => {
    const { asked } = await brokenOff('resumed', 2);
    const { rollouts } = await replays(host, 'resumed', { failed: true, mode: 'resume' });
    expect(asked()).toEqual([2, 3, 4]);
    expect(rollouts).toMatchObject([
      {
        counts: true,
        result: {
          attempt: 2,
          reward: 1,
          turns: 5,
          replay: { mode: 'resume', fromTurn: 2, by: 'commands', commands: 2, differences: 0 },
        },
      },
    ]);
    expect(await commandsOf('resumed', 2)).toHaveLength(4);
    expect((await commandsOf('resumed', 2)).slice(0, 2)).toEqual(await commandsOf('resumed', 1));
  });

  it('charges what it samples and nothing of what it carries over', async () => {
    await brokenOff('charged', 2);
    await replays(host, 'charged', { failed: true, mode: 'resume' });
    const first = await readRecord(
      host.store,
      attemptRecordSchema,
      keys.attemptRecord(attempt('charged', 1)),
    );
    const second = await readRecord(
      host.store,
      attemptRecordSchema,
      keys.attemptRecord(attempt('charged', 2)),
    );
    expect(first?.usage).toMatchObject({ promptTokens: 200, completionTokens: 20 });
    expect(second?.usage).toMatchObject({ promptTokens: 300, completionTokens: 30 });
    const { summary } = await host.document('charged');
    expect(summary.usage).toMatchObject({ promptTokens: 500, completionTokens: 50 });
  });

  it('goes on after the turn that is named: what came later is sampled anew', async () => {
    const { asked } = await brokenOff('named-turn', 3);
    const { rollouts } = await replays(host, 'named-turn', {
      rollouts: ['one/0'],
      mode: 'resume',
      fromTurn: 1,
    });
    expect(asked()).toEqual([1, 2, 3, 4]);
    expect(rollouts[0]?.result).toMatchObject({ reward: 1, replay: { fromTurn: 1, commands: 1 } });
  });

  it('is not taken further than it went, and says so', async () => {
    await brokenOff('too-far', 2);
    await expect(
      replays(host, 'too-far', { rollouts: ['one/0'], mode: 'resume', fromTurn: 3 }),
    ).rejects.toMatchObject({ code: 'not_found', hint: expect.stringContaining('2 complete turns') });
  });

  it('tells which command answered otherwise, and lets the agent read what it read before', async () => {
    const dice = (call: SeenCall): Answer =>
      call.turn === 1 ? runs('echo 1 >> /app/log; echo "$RANDOM-$RANDOM-$RANDOM"') : logging(call);
    const { server } = await brokenOff('dice', 3, dice);
    const { rollouts } = await replays(host, 'dice', { failed: true, mode: 'resume' });
    const { replay } = rollouts[0]?.result ?? {};
    expect(replay).toMatchObject({
      commands: 3,
      differences: 1,
      firstDifference: { turn: 2, call: 1, tool: 'terminal' },
    });
    const read = async (n: number, as: 'toolResult' | 'toolReplayed') =>
      (await readRecord(host.store, toolResultSchema, keys[as](attempt('dice', n), 0, 1, 0)))?.content;
    const recorded = await read(1, 'toolResult');
    expect(replay?.firstDifference).toMatchObject({ recorded, found: await read(2, 'toolReplayed') });
    expect(await read(2, 'toolResult')).toBe(recorded);
    expect(server.seen.at(-1)?.messages.map(({ content }) => content)).toContain(recorded);
    expect(rollouts[0]?.result?.reward).toBe(1);
  });

  it('keeps the shell where the agent left it', async () => {
    const moving = (call: SeenCall): Answer =>
      call.turn === 0
        ? runs('mkdir -p /app/deep; cd /app/deep; export NUMBER=7; echo 0 > /app/log; pwd')
        : call.turn === 2
          ? runs('echo "$NUMBER in $(pwd)"')
          : call.turn === 1
            ? runs('true')
            : says('Done.');
    const { server } = await brokenOff('shell', 2, moving);
    await replays(host, 'shell', { failed: true, mode: 'resume' });
    expect(server.seen.at(-1)?.messages.at(-1)?.content).toContain('7 in /app/deep');
  });
});

describe('a task of several steps that is resumed', () => {
  it('goes through the steps that were over, and on in the one that broke off', async () => {
    const once = (file: string) =>
      `#!/bin/bash\nmkdir -p /logs/verifier\n[ "$(wc -l < ${file})" -eq 1 ] && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt\n`;
    const task = await inlineSteps({
      taskId: 'one',
      steps: [
        { name: 'first', instruction: 'Do first.', test: once('/app/first') },
        { name: 'second', instruction: 'Do second.', test: once('/app/second') },
      ],
    });
    let broken = true;
    const script = (call: SeenCall): Answer => {
      const step = call.messages.some(({ content }) => content?.includes('Do second.')) ? 'second' : 'first';
      if (broken && step === 'second' && call.turn === 1) return refuses(401, 'Incorrect API key');
      return call.turn === 0 ? runs(`mkdir -p /app; echo done >> /app/${step}`) : says('Done.');
    };
    const { server, rollouts } = await runAgainst(host, 'steps', [task], script);
    expect(rollouts[0]).toMatchObject({ stopReason: 'llm_error', turns: 3 });
    broken = false;
    const before = server.seen.length;
    const report = await replays(host, 'steps', { failed: true, mode: 'resume' });
    expect(server.seen.length - before).toBe(1);
    expect(report.rollouts[0]?.result).toMatchObject({
      reward: 1,
      turns: 4,
      replay: { fromTurn: 3, commands: 2 },
    });
  });
});
