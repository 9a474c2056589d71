import { beforeEach, describe, expect, it } from 'vitest';
import { KeptPerScope } from '../../../src/core/held/kept.js';
import { SharedByRuns } from '../../../src/core/held/shared-by-runs.js';
import { WorkHere } from '../../../src/core/held/work-here.js';
import { scopesOfWorkflow } from '../../../src/core/ids.js';

const IDLE_MS = 1_000;
let now: number;
let ended: string[];
let troubles: unknown[];
let things: KeptPerScope<string>;
let shared: SharedByRuns<string>;
let work: WorkHere;

beforeEach(() => {
  now = 0;
  ended = [];
  troubles = [];
  const end = async (name: string) => void ended.push(name);
  things = new KeptPerScope(end);
  shared = new SharedByRuns(end);
  const onTrouble = (error: unknown) => void troubles.push(error);
  work = new WorkHere({ kept: { things, shared }, idleMs: IDLE_MS, now: () => now, onTrouble });
});

const useOf = (runId: string, ...scopes: string[]) =>
  work.during([runId, ...scopes], async () => {
    for (const scope of [runId, ...scopes]) things.of(scope, () => scope);
    shared.of('endpoint', runId, () => 'endpoint');
  });
const later = async (byMs: number) => {
  now += byMs;
  await work.letGoOfIdle();
};
const NOTHING = { work: 0, idle: 0, things: 0, shared: 0 };

describe('what a process keeps for a run', () => {
  it('goes a while after the last piece of work, whoever has closed the run', async () => {
    await useOf('a');
    await later(IDLE_MS - 1);
    expect(work.held()).toEqual({ work: 0, idle: 1, things: 1, shared: 1 });
    await useOf('a');
    await later(IDLE_MS - 1);
    expect(work.held()).toMatchObject({ things: 1 });
    await later(1);
    expect(work.held()).toEqual(NOTHING);
    expect(ended.sort()).toEqual(['a', 'endpoint']);
  });

  it('stays for as long as a piece of work takes', async () => {
    let finish = (): void => undefined;
    const long = new Promise<void>((resolve) => {
      finish = resolve;
    });
    things.of('a', () => 'a');
    const working = work.during(['a'], () => long);
    await useOf('a');
    await later(100 * IDLE_MS);
    expect(work.held()).toMatchObject({ work: 1, things: 1 });
    finish();
    await working;
    await later(IDLE_MS);
    expect(work.held()).toEqual(NOTHING);
  });

  it('goes for a task while the run is at work on others', async () => {
    await useOf('a', 'a/one');
    for (let nth = 0; nth < 5; nth++) {
      now += IDLE_MS / 4;
      await useOf('a', 'a/two');
      await work.letGoOfIdle();
    }
    expect([...things.scopes()].sort()).toEqual(['a', 'a/two']);
  });

  it('goes, too, when a piece of work fails and when it was made without one', async () => {
    things.of('b', () => 'b');
    const failing = work.during(['a'], async () => {
      things.of('a', () => 'a');
      throw new Error('lost');
    });
    await expect(failing).rejects.toThrow('lost');
    await later(0);
    await later(IDLE_MS);
    expect(work.held()).toEqual(NOTHING);
  });

  it('is nothing after many runs', async () => {
    for (let n = 0; n < 2_000; n++) {
      await useOf(`run-${n}`, `run-${n}/task`);
      await later(IDLE_MS / 10);
      expect(things.size).toBeLessThanOrEqual(22);
    }
    await later(IDLE_MS);
    expect(work.held()).toEqual(NOTHING);
  });

  it('is not had anew before it has been given back', async () => {
    const order: string[] = [];
    let give = (): void => undefined;
    const slow = new KeptPerScope<string>(async () => {
      await new Promise<void>((resolve) => {
        give = resolve;
      });
      order.push('given back');
    });
    const here = new WorkHere({ kept: { slow }, idleMs: 0, now: () => now, onTrouble: () => undefined });
    slow.of('a', () => 'a');
    const leaving = here.letGoOfIdle();
    const working = here.during(['a'], async () => void order.push('had anew'));
    // Another run does not wait for it.
    await here.during(['b'], async () => void order.push('another run'));
    give();
    await Promise.all([leaving, working]);
    expect(order).toEqual(['another run', 'given back', 'had anew']);
  });

  it('goes all the same when it cannot be given back', async () => {
    const broken = new KeptPerScope<string>(async () => {
      throw new Error('away');
    });
    const onTrouble = (error: unknown) => void troubles.push(error);
    const here = new WorkHere({ kept: { broken, things }, idleMs: 0, now: () => now, onTrouble });
    broken.of('a', () => 'a');
    things.of('a', () => 'a');
    await here.letGoOfIdle();
    expect(here.held()).toEqual({ work: 0, idle: 0, broken: 0, things: 0 });
    expect(troubles).toMatchObject([{ message: 'away' }]);
  });
});

describe('what runs share', () => {
  it('goes with the last of them', async () => {
    await useOf('a');
    now = IDLE_MS / 2;
    await useOf('b');
    await later(IDLE_MS / 2);
    expect(ended).toEqual(['a']);
    expect(shared.of('endpoint', 'b', () => 'a second one')).toBe('endpoint');
    await later(IDLE_MS);
    expect(ended).toEqual(['a', 'b', 'endpoint']);
  });

  it('stays until the end where the process itself uses it', async () => {
    shared.of('endpoint', null, () => 'endpoint');
    await useOf('a');
    await later(IDLE_MS);
    expect(shared.size).toBe(1);
    await shared.close();
    expect(ended).toEqual(['a', 'endpoint']);
  });
});

describe('what a workflow does', () => {
  it.each([
    ['evaluate/r', ['r']],
    ['process/r', ['r']],
    ['serve/r', ['r']],
    ['partition/r/3', ['r']],
    ['replay/r/again', ['r']],
    ['group/r/t/0', ['r', 'r/t']],
    ['rollout/r/t/0', ['r', 'r/t']],
    ['rollout/r/t/0/replay/again/1', ['r', 'r/t']],
    ['budget/r/t', []],
    ['endpoint/abc', []],
    ['', []],
  ])('as %j is work of %j', (workflowId, scopes) => expect(scopesOfWorkflow(workflowId)).toEqual(scopes));
});
