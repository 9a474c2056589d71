import { describe, expect, it } from 'vitest';
import { GroupBoard } from '../../../src/core/group/group-board.js';
import { PartitionBoard } from '../../../src/core/run/partition-board.js';
import { RunBoard } from '../../../src/core/run/run-board.js';

const board = (changes: Partial<ConstructorParameters<typeof GroupBoard>[0]> = {}, atOnce = 4, now = 0) =>
  new GroupBoard({ open: 4, scored: 0, needed: 4, deadlineMs: null, ...changes }, atOnce, now);

describe('the deadline of a group', () => {
  it('counts from the score that made it enough, and never before', () => {
    const group = board({ needed: 2, deadlineMs: 1_000 });
    for (let i = 0; i < 4; i++) group.started();
    group.closed('a', true, 500);
    expect(group.msLeft(90_000)).toBeNull();
    group.closed('b', true, 90_000);
    expect(group.msLeft(90_000)).toBe(1_000);
    expect(group.msLeft(90_400)).toBe(600);
    group.closed('c', false, 90_500);
    expect(group.msLeft(99_000)).toBe(0);
  });

  it('stands still while the group is paused', () => {
    const group = board({ needed: 1, deadlineMs: 1_000 });
    group.started();
    group.closed('a', true, 0);
    group.pause(true, 300);
    expect(group.msLeft(60_000)).toBeNull();
    group.pause(false, 60_000);
    expect(group.msLeft(60_000)).toBe(700);
  });

  it('is none where nobody set one, nor when all have ended', () => {
    const none = board({ needed: 1 });
    none.started();
    none.closed('a', true, 0);
    expect(none.msLeft(5)).toBeNull();
    expect(board({ open: 0, scored: 4, needed: 1, deadlineMs: 9 }).msLeft(5)).toBeNull();
  });

  it('counts at once in a group that had enough when it was taken up again', () => {
    expect(board({ open: 1, scored: 3, needed: 3, deadlineMs: 50 }, 4, 100).msLeft(110)).toBe(40);
  });
});

describe('the room of a group', () => {
  it('is given back in quarters, and not told when nothing is left', () => {
    const group = board({ open: 8 }, 8);
    for (let i = 0; i < 8; i++) group.started();
    expect(group.takeNews()).toBeNull();
    group.closed('a', true, 0);
    expect(group.takeNews()).toBeNull();
    group.closed('b', true, 0);
    expect(group.takeNews()).toEqual({ room: 6, held: 0 });
    for (const id of 'cdefgh') group.closed(id, true, 0);
    expect(group.takeNews()).toBeNull();
  });

  it('stays taken while members wait to be started', () => {
    const group = board({ open: 8 }, 2);
    group.started();
    group.started();
    expect(group.mayStart).toBe(false);
    group.closed('a', true, 0);
    expect(group.takeNews()).toBeNull();
    expect(group.mayStart).toBe(true);
  });

  it('is not taken by members that wait for a budget', () => {
    const group = board();
    for (let i = 0; i < 4; i++) group.started();
    group.hold('a', true);
    expect(group.takeNews()).toEqual({ room: 3, held: 1 });
    group.hold('a', false);
    expect(group.takeNews()).toEqual({ room: 4, held: 0 });
  });
});

describe('a partition of groups', () => {
  it('starts a group only where all it may run at once fits, and when room was given back', () => {
    const partition = new PartitionBoard(24, 0, 10, false);
    expect(partition.fits(8)).toBe(true);
    partition.groupStarted('one', 8, 8);
    expect(partition.fits(8)).toBe(false);
    partition.groupChanged('one', { room: 2, held: 0 });
    expect(partition.fits(8)).toBe(true);
    partition.groupStarted('two', 8, 8);
    expect(partition.running).toBe(10);
    partition.groupClosed('one', 8);
    expect(partition.done).toBe(8);
    partition.groupChanged('one', { room: 8, held: 0 });
    expect(partition.running).toBe(8);
  });

  it('tells what waits for budgets once nothing is left to start', () => {
    const partition = new PartitionBoard(4, 0, 4, false);
    partition.groupStarted('one', 4, 4);
    expect(partition.takeTail()).toBe(4);
    partition.groupChanged('one', { room: 0, held: 4 });
    expect([partition.takeTail(), partition.heldCount]).toEqual([0, 4]);
  });
});

describe('a run of groups whose window is changed', () => {
  it('tells every partition, as one of its groups may be larger than the window was', () => {
    const run = new RunBoard(2, { paused: false, done: 0 });
    run.opened(0);
    run.exhausted(0, 2);
    run.resize(6, true);
    expect(run.takeNews()).toEqual([{ index: 0, share: 2 }]);
    expect(run.takeNews()).toEqual([]);
  });

  it('is told of a tail that has grown', () => {
    const partition = new PartitionBoard(4, 0, 2, false);
    partition.groupStarted('one', 4, 2);
    expect(partition.takeTail()).toBe(2);
    partition.groupChanged('one', { room: 4, held: 0 });
    expect(partition.takeTail()).toBe(4);
  });
});

describe('dead groups', () => {
  const run = () => new RunBoard(8, { paused: false, done: 0 });

  it('are counted in a row over partitions, until one has a score', () => {
    const board = run();
    board.opened(0);
    board.groupEnded(0, true);
    board.groupEnded(0, true);
    board.closed(0, 8);
    board.opened(1);
    board.groupEnded(1, true);
    expect(board.deadGroups).toBe(3);
    board.groupEnded(1, false);
    expect(board.deadGroups).toBe(0);
  });

  it('start from none after somebody said to go on', () => {
    const board = run();
    board.groupEnded(0, true);
    board.pause('dead_groups');
    board.resume();
    expect(board.deadGroups).toBe(0);
  });

  it('are a stronger reason than a budget, and a weaker one than a person', () => {
    const board = run();
    board.pause('token_budget');
    board.pause('dead_groups');
    board.pause('cost_budget');
    expect(board.reason).toBe('dead_groups');
    board.pause('person');
    board.pause('dead_groups');
    expect(board.reason).toBe('person');
  });
});
