import { describe, expect, it } from 'vitest';
import { restartDelayMs } from '../../src/hosts/supervise-workers.js';
import { capacityOf, divideCapacity, durationMs } from '../../src/hosts/worker-plan.js';

const DEFAULTS = new Map([
  ['docker', 8],
  ['memory', 2_000],
]);

describe('worker processes that share a host', () => {
  it('divide what it holds, the remainder to the first ones', () => {
    expect(divideCapacity(null, DEFAULTS, 3)).toEqual([
      { docker: 3, memory: 667 },
      { docker: 3, memory: 667 },
      { docker: 2, memory: 666 },
    ]);
    expect(divideCapacity({ docker: 5 }, DEFAULTS, 2)).toEqual([
      { docker: 3, memory: 1_000 },
      { docker: 2, memory: 1_000 },
    ]);
  });

  it('hold one each at least, where nothing else was asked for', () => {
    expect(divideCapacity(null, new Map([['docker', 4]]), 6)).toEqual(Array(6).fill({ docker: 1 }));
    expect(() => divideCapacity(4, DEFAULTS, 6)).toThrow(
      '4 docker sandboxes cannot be shared by --processes 6',
    );
  });

  it('are started again at longer and longer intervals', () => {
    expect([1, 2, 3, 4, 7, 50].map(restartDelayMs)).toEqual([1_000, 2_000, 4_000, 8_000, 60_000, 60_000]);
  });
});

describe('settings of a worker', () => {
  it('give durations in ms', () => {
    expect(['0', '90s', '10m', '2h'].map(durationMs)).toEqual([0, 90_000, 600_000, 7_200_000]);
  });

  it('refuse sandboxes for an orchestrator', () => {
    expect(capacityOf(null, 'orchestrator')).toBeNull();
    expect(() => capacityOf('3', 'orchestrator')).toThrow('holds no sandboxes');
  });
});
