import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Recording } from '../../../src/core/run/recording.schema.js';
import type { TurnTrace } from '../../../src/formats/atropos-v1/turn-trace.schema.js';
import { keys } from '../../../src/store/keys.js';
import { writeRecord } from '../../../src/store/records/records.js';
import { type RolloutResult, rolloutResultSchema } from '../../../src/store/records/records.schema.js';
import { readResult } from '../../../src/store/runs.js';
import type { ArtifactStore } from '../../../src/store/store.js';
import { createTrajectoryRecorder } from '../../../src/trajectories/recording/trajectory-recorder.js';
import { withinLimit } from '../../../src/trajectories/recording/within-limit.js';
import { KEY, planOne, wholeRollout } from '../../rollout/whole-rollout.js';
import { tempStore } from '../../store/temp-store.js';
import { modelOf, response } from '../../support/rollout-deps.js';
import { RUN_CONFIG } from '../../support/run-config-defaults.js';

const FILE = 'traj_run__one__0.jsonl';
const REPLAYED = {
  mode: 'rerun',
  source: KEY,
  fromTurn: null,
  by: null,
  commands: 0,
  differences: 0,
  firstDifference: null,
} as const;
let stateDir: string;
let store: ArtifactStore;
let log: string[];

beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'longrun-recorder-'));
  store = await tempStore();
  log = [];
});
afterEach(() => rm(stateDir, { recursive: true, force: true }));

const recorder = () =>
  createTrajectoryRecorder({
    store,
    stateDir,
    logger: pino({ base: null }, { write: (line) => log.push(line) }),
  });

/** Finds the answer in its first turn and ends in its second. */
const solver = () =>
  modelOf(({ turn }) =>
    response(turn === 0 ? { run: 'mkdir -p /app; echo 42 > /app/answer' } : { content: 'Done.' }),
  );
const talker = () => modelOf(() => response({ content: 'Hello.' }));

async function rollout(trajectory: Partial<Recording> = {}, model = solver()): Promise<void> {
  await planOne(store, { trajectory: { ...RUN_CONFIG.trajectory, ...trajectory } });
  await wholeRollout({ store, model, recorder: recorder() });
}

const folder = () => join(stateDir, 'trajectories');
const names = async () => (await readdir(folder()).catch(() => [])).sort();
const manifest = async () => JSON.parse(await readFile(join(folder(), 'manifest_run.json'), 'utf8'));
async function lines(): Promise<TurnTrace[]> {
  const text = await readFile(join(folder(), FILE), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as TurnTrace);
}

describe('the recorder', () => {
  it('writes the turns of a rollout as it ends, judged', async () => {
    await rollout();
    expect(await names()).toEqual([FILE]);
    expect(await lines()).toMatchObject([
      {
        session_id: 'run__one__0',
        turn_index: 0,
        provider: null,
        user_message: 'Do one.',
        system_prompt_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        tool_calls: [{ tool_name: 'terminal', success: true, arguments: { command: expect.any(String) } }],
        reward: null,
      },
      { turn_index: 1, assistant_response: 'Done.', task_completed: true, reward: 1 },
    ]);
  });

  it('leaves a rollout alone when it cannot write, and says so once', async () => {
    await writeFile(join(stateDir, 'trajectories'), 'a file where a folder should be');
    await planOne(store, { samples: 2 });
    const same = recorder();
    for (const sample of [0, 1]) await wholeRollout({ store, model: solver(), recorder: same }, sample);
    expect(await readResult(store, KEY)).toMatchObject({ reward: 1 });
    expect(log.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      'turns could not be recorded; the rollouts themselves are not affected',
    ]);
  });

  it.each<[string, Partial<Recording>]>([
    ['that are too short', { minTurnCount: 3 }],
    ['without tool calls', { minTurnCount: 1, requireToolCalls: true }],
  ])('leaves out rollouts %s, and counts them', async (_, change) => {
    await rollout(change, change.requireToolCalls ? talker() : solver());
    expect(await names()).toEqual([]);
    await recorder().runEnded('run');
    expect(await names()).toEqual(['manifest_run.json']);
    const counted = change.requireToolCalls ? { without_tool_calls: 1 } : { too_short: 1 };
    expect((await manifest()).counts).toEqual({
      rollouts: 1,
      written: 0,
      too_short: 0,
      without_tool_calls: 0,
      ...counted,
    });
  });

  it('comes back from a folder that no recursive mkdir comes back from', async () => {
    await rollout({ outputDir: '/proc/nope/deeper' });
    expect((await readResult(store, KEY))?.reward).not.toBeUndefined();
    expect(log).toHaveLength(1);
    expect(log[0]).toContain('turns could not be recorded');
  });

  it('does not wait for ever for a file that does not answer', async () => {
    execFileSync('mkfifo', [join(stateDir, 'pipe')]);
    const waiting = readFile(join(stateDir, 'pipe'));
    await expect(withinLimit(waiting, 'pipe', 50)).rejects.toThrow('pipe did not answer in time');
    await writeFile(join(stateDir, 'pipe'), '');
  });

  it('writes single turns by default to nobody: two are asked for', async () => {
    await rollout({}, talker());
    expect(await names()).toEqual([]);
  });

  it('writes nothing when it is switched off', async () => {
    await rollout({ enabled: false });
    await recorder().runEnded('run');
    expect(await names()).toEqual([]);
  });

  it('records what it is told to, where it is told to', async () => {
    const outputDir = join(stateDir, 'elsewhere', 'deep');
    await rollout({ outputDir, recordToolCalls: false, recordSystemPrompt: true });
    const text = await readFile(join(outputDir, FILE), 'utf8');
    const [first] = text.split('\n').map((line) => JSON.parse(line || 'null') as TurnTrace | null);
    expect(first?.system_prompt).toContain('You are an agent');
    expect(first?.tool_calls).toMatchObject([{ tool_name: 'terminal', arguments: {}, result: null }]);
  });
});

describe('the recording of a run that has ended', () => {
  it('has a manifest that says how it was made, the same each time', async () => {
    await rollout();
    await recorder().runEnded('run');
    const text = await readFile(join(folder(), 'manifest_run.json'), 'utf8');
    expect(await manifest()).toMatchObject({
      format_version: 'atropos-v1',
      run_id: 'run',
      model: 'test-model',
      configuration: { min_turn_count: 2, record_system_prompt: false, reward_model: null },
      counts: { rollouts: 1, written: 1, too_short: 0, without_tool_calls: 0 },
    });
    await recorder().runEnded('run');
    expect(await readFile(join(folder(), 'manifest_run.json'), 'utf8')).toBe(text);
    expect(await names()).toEqual(['manifest_run.json', FILE]);
  });

  it('has the sessions whose worker did not come to write them, exactly as it would have', async () => {
    await rollout();
    const before = await readFile(join(folder(), FILE), 'utf8');
    await rm(folder(), { recursive: true });
    await recorder().runEnded('run');
    expect(await readFile(join(folder(), FILE), 'utf8')).toBe(before);
  });

  it('has a rollout as it counts now, after a replay of it', async () => {
    await rollout();
    const scored = (await readResult(store, KEY)) as RolloutResult;
    const lost = { ...scored, reward: null, rewards: {}, stopReason: 'sandbox_lost' } as const;
    await writeRecord(store, rolloutResultSchema, keys.result(KEY), lost);
    const replay = { replayId: 'r1', nth: 1 };
    const again = { ...scored, reward: 0.25, replay: { ...REPLAYED, ...replay } };
    await writeRecord(store, rolloutResultSchema, keys.replayResult(KEY, replay), again);
    const trajectory = (await store.get(keys.trajectory(KEY))) as Uint8Array;
    await store.put(keys.attemptTrajectory(KEY), trajectory);
    expect((await lines()).at(-1)).toMatchObject({ reward: 1 });
    await recorder().runEnded('run');
    expect((await lines()).at(-1)).toMatchObject({ reward: 0.25, task_completed: false });
  });

  it('leaves out what has no result yet', async () => {
    await rollout({}, solver());
    await store.remove(keys.result(KEY));
    await recorder().runEnded('run');
    expect((await manifest()).counts.rollouts).toBe(0);
  });
});
