import { describe, expect, it } from 'vitest';
import { PartitionBoard } from '../../../src/core/run/partition-board.js';
import { RunBoard } from '../../../src/core/run/run-board.js';
import { WindowShares } from '../../../src/core/run/window.js';

describe('the window of a run', () => {
  it('belongs to the older partition until that has nothing left to start', () => {
    const shares = new WindowShares(10);
    shares.opened(0);
    expect(shares.hasRoom).toBe(false);
    shares.exhausted(0, 4);
    expect(shares.hasRoom).toBe(true);
    shares.opened(1);
    expect([...shares.shares()]).toEqual([
      [0, 4],
      [1, 6],
    ]);
  });

  it('is never handed out twice, whatever the tail of the older one', () => {
    const shares = new WindowShares(10);
    shares.opened(0);
    shares.opened(1);
    for (const running of [10, 7, 3, 0]) {
      shares.exhausted(0, running);
      expect([...shares.shares().values()].reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(10);
    }
    shares.closed(0);
    expect(shares.shares().get(1)).toBe(10);
  });

  it('ignores news of a partition that has closed', () => {
    const shares = new WindowShares(3);
    shares.exhausted(7, 3);
    shares.opened(8);
    expect(shares.shares().get(8)).toBe(3);
  });
});

describe('a run', () => {
  it('opens two partitions at most, and none while paused', () => {
    const board = new RunBoard(4, { paused: false, done: 0 });
    expect(board.mayOpen).toBe(true);
    expect(board.opened(0)).toBe(4);
    expect(board.mayOpen).toBe(false);
    board.exhausted(0, 1);
    expect(board.opened(1)).toBe(3);
    board.exhausted(1, 1);
    expect(board.mayOpen).toBe(false);
    board.closed(0, 20);
    expect(board.mayOpen).toBe(true);
    board.pause('person');
    expect(board.mayOpen).toBe(false);
    expect(board.done).toBe(20);
  });

  it('tells a partition of its share only when that has changed', () => {
    const board = new RunBoard(4, { paused: false, done: 0 });
    board.opened(0);
    expect(board.takeNews()).toEqual([]);
    board.resize(9);
    expect(board.takeNews()).toEqual([{ index: 0, share: 9 }]);
    expect(board.takeNews()).toEqual([]);
  });
});

describe('a run that is paused', () => {
  it('by a person stays so whatever its budget says', () => {
    const board = new RunBoard(4, { paused: false, done: 0 });
    board.pause('token_budget');
    board.pause('person');
    board.pause('cost_budget');
    expect(board.standstill).toBe('person');
    board.resume();
    expect(board.standstill).toBeNull();
  });

  it('stands still when all that is left waits for the budgets of its groups', () => {
    const board = new RunBoard(4, { paused: false, done: 0 });
    board.opened(0);
    board.exhausted(0, 1, 2);
    board.allOpened = true;
    expect(board.standstill).toBeNull();
    board.exhausted(0, 0, 2);
    expect(board.standstill).toBe('group_budget');
    board.exhausted(0, 2, 0);
    expect(board.standstill).toBeNull();
  });
});

describe('a partition', () => {
  it('gives the room of rollouts that wait for a budget to others, and says when only those are left', () => {
    const board = new PartitionBoard(3, 0, 2, false);
    board.started();
    board.started();
    expect(board.mayStart).toBe(false);
    board.hold('first', true);
    expect(board.mayStart).toBe(true);
    board.started();
    board.hold('second', true);
    expect(board.takeTail()).toBe(1);
    board.closed();
    expect([board.takeTail(), board.heldCount]).toEqual([0, 2]);
    board.hold('first', false);
    expect(board.takeTail()).toBe(1);
    board.hold('second', false);
    expect(board.takeTail()).toBe(2);
  });

  it('starts rollouts while its window has room and it is not paused', () => {
    const board = new PartitionBoard(3, 0, 2, false);
    board.started();
    expect(board.mayStart).toBe(true);
    board.started();
    expect(board.mayStart).toBe(false);
    board.closed();
    expect(board.mayStart).toBe(true);
    board.paused = true;
    expect(board.mayStart).toBe(false);
  });

  it('reports its tail once nothing is left to start, in steps of a twentieth of the window', () => {
    const board = new PartitionBoard(40, 0, 40, false);
    for (let i = 0; i < 39; i++) board.started();
    expect(board.takeTail()).toBeNull();
    board.started();
    expect(board.takeTail()).toBe(40);
    board.closed();
    expect(board.takeTail()).toBeNull();
    board.closed();
    expect(board.takeTail()).toBe(38);
  });
});
