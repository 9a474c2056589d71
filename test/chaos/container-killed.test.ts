import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AttemptKey, RolloutKey } from '../../src/core/ids.js';
import type { AtCheckpoint, Checkpoint } from '../../src/rollout/checkpoints.js';
import { keys } from '../../src/store/keys.js';
import { readRecord } from '../../src/store/records/records.js';
import { attemptRecordSchema, placementSchema } from '../../src/store/records/records.schema.js';
import { readResult } from '../../src/store/runs.js';
import { containerOf, docker } from '../support/docker-host.js';
import type { Answer, SeenCall } from '../support/model-server.js';
import { ChaosRun } from './support/chaos-run.js';
import { expectedOf, taskOf } from './support/chaos-tasks.js';
import { expectInvariants } from './support/invariants.js';
import { noteTimes } from './support/recovery.js';

type Harm = (container: string) => Promise<unknown>;
const kill: Harm = (container) => docker('kill', container);
const remove: Harm = (container) => docker('rm', '--force', container);

interface Fault {
  what: string;
  /** Struck when the first attempt passes this for the `nth` time. */
  at: Checkpoint;
  nth: number;
  harm: Harm;
  /** Into a running command: long after it began, well before its end. */
  afterMs?: number;
}

/** An attempt that has lost its container, and when. */
interface Struck {
  key: AttemptKey;
  atMs: number;
}

/** What happens to the first container of each sample: every rollout of the run loses one. */
const FAULTS: readonly Fault[] = [
  { what: 'killed in the middle of a command', at: 'command:before', nth: 2, harm: kill, afterMs: 150 },
  { what: 'removed in the middle of a command', at: 'command:before', nth: 2, harm: remove, afterMs: 150 },
  { what: 'killed while the model is asked', at: 'sampling:before', nth: 2, harm: kill },
  { what: 'removed while the model is asked', at: 'sampling:before', nth: 2, harm: remove },
  { what: 'killed under its tests', at: 'verification:before', nth: 1, harm: kill },
  { what: 'removed under its tests', at: 'verification:before', nth: 1, harm: remove },
];

const nameOf = ({ taskId, sample }: Omit<RolloutKey, 'runId'>) => `${taskId}/${sample}`;
const SEED = 1;

let chaos: ChaosRun;
const strikes = new Map<string, Promise<Struck>>();

/** What an operator's hand does, at the moment that the fault names. */
function strikeAtCheckpoints(): AtCheckpoint {
  const passed = new Map<string, number>();
  return async (checkpoint, key) => {
    const fault = FAULTS[key.sample];
    if (fault?.at !== checkpoint || key.attempt !== 1) return;
    const name = nameOf(key);
    passed.set(name, (passed.get(name) ?? 0) + 1);
    if (passed.get(name) !== fault.nth) return;
    const strike = struck(key, fault);
    strikes.set(name, strike);
    // Tests are over in a moment: those find their container gone.
    if (checkpoint === 'verification:before') await strike;
  };
}

/** The model does not answer before the blow has fallen: nobody is through with their work until then. */
function afterStrike(call: SeenCall, usual: Answer): Answer {
  const strike = strikes.get(nameOf({ taskId: taskOf(call), sample: (call.seed ?? 0) - SEED }));
  return async (response) => {
    await strike;
    await usual(response);
  };
}

async function struck(key: AttemptKey, { harm, afterMs }: Fault): Promise<Struck> {
  if (afterMs !== undefined) await sleep(afterMs);
  await harm((await containerOf(chaos.store, key)) ?? '');
  return { key, atMs: Date.now() };
}

/** From its loss until the next attempt has a container. */
async function replacedAfterMs({ key, atMs }: Struck): Promise<number> {
  const next = await readRecord(
    chaos.store,
    placementSchema,
    keys.placement({ ...key, attempt: key.attempt + 1 }),
  );
  return (next?.createdAt ?? Number.NaN) - atMs;
}

beforeAll(async () => {
  chaos = await ChaosRun.make({
    runId: 'container-killed',
    samples: FAULTS.length,
    config: { seed: SEED },
    script: afterStrike,
  });
  await chaos.host.startWorker({ concurrency: 8, atCheckpoint: strikeAtCheckpoints() });
  await chaos.begin();
  await chaos.finished();
});
afterAll(() => chaos.stop());

const rolloutsOf = async (sample: number): Promise<RolloutKey[]> =>
  (await chaos.rollouts()).filter((key) => key.sample === sample);

describe('24 rollouts that each lose their container', () => {
  it('end as they should, every command once per container, every request accounted for', async () => {
    expect(strikes.size).toBe(24);
    const times = await Promise.all(
      [...strikes.values()].map(async (strike) => replacedAfterMs(await strike)),
    );
    noteTimes('container killed or removed (until the next attempt has one)', times);
    await expectInvariants(chaos, { takeovers: 0, attempts: 2 });
  });

  it.each(FAULTS.map((fault, sample) => ({ ...fault, sample })))(
    'a container $what costs the attempt, whose evidence is kept; the reward is the second one’s',
    async ({ sample, at }) => {
      const rollouts = await rolloutsOf(sample);
      expect(rollouts).toHaveLength(4);
      for (const key of rollouts) {
        const first = { ...key, attempt: 1 };
        expect(await readRecord(chaos.store, attemptRecordSchema, keys.attemptRecord(first))).toMatchObject({
          stopReason: 'sandbox_lost',
          reward: null,
          failure: { code: 'sandbox_gone', retryable: true },
        });
        const turns = await chaos.store.children(keys.turns(first, 0));
        if (at === 'verification:before') expect(turns).toHaveLength(expectedOf(key.taskId).turns);
        else expect(turns.length).toBeGreaterThan(0);
        expect(await readResult(chaos.store, key)).toMatchObject({
          attempt: 2,
          attempts: 2,
          reward: expectedOf(key.taskId).reward,
        });
      }
    },
  );
});
