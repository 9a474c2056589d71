import type { RewardStats } from './stats-report.schema.js';

/** Rewards that differ by less are the same. */
const SAME = 1e-9;

/** Of each group how many rewards it has and how far they lie apart: the one thing kept per group. */
export class GroupSpread {
  private readonly groups = new Map<string, { count: number; min: number; max: number }>();

  add(group: string, reward: number): void {
    const { count, min, max } = this.groups.get(group) ?? { count: 0, min: reward, max: reward };
    this.groups.set(group, { count: count + 1, min: Math.min(min, reward), max: Math.max(max, reward) });
  }

  report(): RewardStats['groups'] {
    const compared = [...this.groups.values()].filter(({ count }) => count > 1);
    const zeroVariance = compared.filter(({ min, max }) => max - min < SAME).length;
    return {
      compared: compared.length,
      zeroVariance,
      share: compared.length === 0 ? null : zeroVariance / compared.length,
      alone: this.groups.size - compared.length,
    };
  }
}
