import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/index.js';
import { attemptOf, recordRun, task } from '../report/recorded-run.js';
import { lostResult, result } from '../store/fixtures.js';
import { type CliAnswer, longrun } from './support/longrun.js';

let stateDir: string;
const run = (...argv: string[]): Promise<CliAnswer> => longrun(argv, { LONGRUN_HOME: stateDir });

/** One scored, one whose agent touched the tests, one whose attempts are spent. */
beforeAll(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'longrun-queue-'));
  const review = { queueState: 'needs_human_review' } as const;
  await recordRun(
    await openStore(stateDir),
    ['good', 'touched', 'spent'].map((taskId) => task(taskId)),
    [
      { result: result({ taskId: 'good' }) },
      { result: result({ taskId: 'touched', suspectedTampering: ['/usr/bin/python3'], ...review }) },
      {
        result: lostResult({ taskId: 'spent', attempt: 2, attempts: 2, ...review }),
        earlier: [attemptOf(lostResult({ taskId: 'spent', attempt: 1 }))],
      },
    ],
  );
});
afterAll(() => rm(stateDir, { recursive: true, force: true }));

describe('longrun queue', () => {
  it('lists what needs attention, counted by queue', async () => {
    const { stdout, code } = await run('queue', 'list');
    expect(code).toBe(0);
    expect(stdout).toContain('needs_human_review 2   success 1');
    expect(stdout).toMatch(/r\/spent\/0 +needs_human_review +sandbox_lost/);
    expect(stdout).not.toContain('r/good/0');
    const listed = (await run('queue', 'list', '--run', 'r', '--state', 'success', '--json')).json();
    expect(listed).toMatchObject({
      counts: { needs_human_review: 2, success: 1 },
      rollouts: [{ rollout_id: 'r/good/0' }],
    });
  });

  it('shows why a rollout is in its queue, its attempts, where the evidence is and what can be done', async () => {
    const { stdout } = await run('queue', 'show', 'r/spent/0');
    expect(stdout).toContain('needs_human_review · sandbox_lost');
    expect(stdout).toMatch(/attempt 1 {2}sandbox_lost[\s\S]*attempt 2 {2}sandbox_lost/);
    expect(stdout).toContain(join(stateDir, 'store', 'runs', 'r', 'rollouts', 'spent', '0'));
    expect(stdout).toContain('longrun queue retry r/spent/0');
    const touched = await run('queue', 'show', 'r/touched/0');
    expect(touched.stdout).toContain('/usr/bin/python3');
    expect(touched.stdout).toContain('longrun queue resolve r/touched/0 --as rejected');
    const entry = (await run('queue', 'show', 'r/touched/0', '--json')).json();
    expect(entry).toMatchObject({ state: 'needs_human_review', scored: true, resolutions: [] });
  });

  it('records a decision; the newest holds and none is lost', async () => {
    const { code, stderr } = await run(
      'queue',
      'resolve',
      'r/touched/0',
      '--as',
      'accepted',
      '--note',
      'harmless',
    );
    expect(code).toBe(0);
    expect(stderr).toContain('is in the queue success now');
    const row = (await run('queue', 'resolve', 'r/touched/0', '--as', 'rejected', '--json')).json();
    expect(row).toMatchObject({
      state: 'terminal_failure',
      reward: 1,
      resolution: { as: 'rejected', attempt: 1 },
    });
    const entry = (await run('queue', 'show', 'r/touched/0', '--json')).json();
    expect(entry.resolutions).toMatchObject([
      { as: 'accepted', note: 'harmless', by: expect.any(String), at: expect.any(Number) },
      { as: 'rejected', note: null },
    ]);
    expect((await run('queue', 'list', '--json')).json().counts).toMatchObject({
      needs_human_review: 1,
      terminal_failure: 1,
      success: 1,
    });
  });

  it('keeps the reward of what was rejected, and every report names it', async () => {
    const document = (await run('runs', 'show', 'r', '--json')).json();
    expect(document.summary.n_scored).toBe(2);
    expect(document.reviews).toMatchObject([{ rollout_id: 'r/touched/0', resolution: { as: 'rejected' } }]);
    const { stdout } = await run('runs', 'show', 'r');
    expect(stdout).toContain('rejected on review, still in the scores above: r/touched/0');
  });

  it('gives up on what has no score, which cannot be accepted', async () => {
    const refused = await run('queue', 'resolve', 'r/spent/0', '--as', 'accepted', '--json');
    expect(refused.code).toBe(2);
    expect(refused.json().error.message).toContain('no score that could be accepted');
    expect((await run('queue', 'resolve', 'r/spent/0', '--as', 'terminal', '--json')).json().state).toBe(
      'terminal_failure',
    );
    const nothing = await run('queue', 'retry', '--run', 'r', '--json');
    expect(nothing.json().error.message).toContain('Nothing is there to be tried again');
  });

  const REFUSALS: [what: string, argv: string[], code: number, message: string][] = [
    ['a queue that there is not', ['list', '--state', 'sucess'], 2, '--state: found "sucess"'],
    ['a run that there is not', ['list', '--run', 'nope'], 1, 'no run is called "nope"'],
    ['what is no rollout id', ['show', 'r'], 2, '"r" is not the id of a rollout'],
    ['a rollout that there is not', ['show', 'r/good/7'], 1, 'has no sample 7'],
    ['a decision without a word', ['resolve', 'r/touched/0'], 2, '--as: found nothing'],
    ['a decision that there is not', ['resolve', 'r/touched/0', '--as', 'fine'], 2, '--as: found "fine"'],
    [
      'a decision where none is needed',
      ['resolve', 'r/good/0', '--as', 'rejected'],
      2,
      'does not need review',
    ],
    ['a retry of nothing', ['retry'], 2, 'Nothing says which rollouts'],
    ['a retry of a scored rollout', ['retry', 'r/good/0'], 2, 'is scored (natural)'],
    [
      'a retry by name and by queue',
      ['retry', 'r/good/0', '--run', 'r'],
      2,
      '--run or --state chooses others',
    ],
  ];
  it.each(REFUSALS)('refuses %s by name', async (_what, argv, code, message) => {
    const answer = await run('queue', ...argv, '--json');
    expect(answer.json().error.message).toContain(message);
    expect(answer.json().error.hint).toBeTruthy();
    expect(answer.code).toBe(code);
  });
});

describe('longrun replay refuses', () => {
  const REPLAY_REFUSALS: [what: string, argv: string[], code: number, message: string][] = [
    ['a run that there is not', ['nope', '--failed', '--mode', 'rerun'], 1, 'no run is called "nope"'],
    ['to do without a mode', ['r', '--failed'], 2, '--mode: found nothing'],
    ['a mode that there is not', ['r', '--failed', '--mode', 'again'], 2, '--mode: found "again"'],
    ['to do without a selection', ['r', '--mode', 'rerun'], 2, 'Nothing says which rollouts'],
    [
      'a stop reason that there is not',
      ['r', '--stop-reason', 'lost', '--mode', 'rerun'],
      2,
      '--stop-reason: found "lost"',
    ],
    ['a task that there is not', ['r', '--task', 'god', '--mode', 'rerun'], 2, 'no task matches --task god'],
    [
      'a rollout of another run',
      ['r', '--rollout', 'x/good/0', '--mode', 'rerun'],
      2,
      'not the id of a rollout of run r',
    ],
    [
      'a rollout that there is not',
      ['r', '--rollout', 'good/9', '--mode', 'rerun'],
      1,
      'has no rollout good/9',
    ],
    [
      'turns that are no number',
      ['r', '--failed', '--mode', 'resume', '--from-turn', 'x'],
      2,
      '--from-turn: found "x"',
    ],
    [
      'a turn for a rerun',
      ['r', '--failed', '--mode', 'rerun', '--from-turn', '2'],
      2,
      '--from-turn does nothing',
    ],
    ['a fork without a turn', ['r', '--failed', '--mode', 'fork'], 2, '--mode fork needs --from-turn'],
    ['nothing', ['r', '--failed', '--mode', 'rerun', '--times', '0'], 2, '--times: found "0"'],
    ['to verify twice', ['r', '--failed', '--mode', 'verify', '--times', '2'], 2, '--times does nothing'],
    [
      'what is scored, unless asked for',
      ['r', '--task', 'good', '--mode', 'rerun'],
      2,
      'No rollout of run r is to be replayed',
    ],
    [
      'to verify an agent that never ended',
      ['r', '--failed', '--mode', 'verify'],
      2,
      'No rollout of run r is to be replayed',
    ],
  ];
  it.each(REPLAY_REFUSALS)('%s', async (_what, argv, code, message) => {
    const answer = await run('replay', ...argv, '--json');
    expect(answer.json().error.message).toContain(message);
    // What is no number is told what is one in the message itself.
    if (!message.includes('found "')) expect(answer.json().error.hint).toBeTruthy();
    expect(answer.code).toBe(code);
  });
});
