import { Histogram } from '../../core/statistics/histogram.js';
import { RunningMoments } from '../../core/statistics/running-moments.js';
import { effectiveSignal } from '../../core/trajectory/effective-reward.js';
import type { Episode } from '../../core/trajectory/episode.schema.js';
import {
  REWARD_QUALITY,
  REWARD_SOURCES,
  type RewardSignal,
  type RewardSource,
} from '../../core/trajectory/reward-signal.schema.js';
import { CompositeStats } from './composite-stats.js';
import { GroupSpread } from './group-spread.js';
import { momentsOf } from './moments-of.js';
import { rewardWarnings } from './reward-warnings.js';
import type { RewardStats } from './stats-report.schema.js';
import { TestCorrelations } from './test-correlations.js';

export interface RewardTallyOptions {
  order: readonly RewardSource[];
  passThreshold: number;
}

/** What the rewards of a stream of episodes are like, in memory that grows with the groups alone. */
export class RewardTally {
  private readonly effective = new RunningMoments();
  private readonly histogram = new Histogram();
  private readonly bySource = new Map<RewardSource, RunningMoments>();
  private readonly shapes = new Set<string>();
  private readonly groups = new GroupSpread();
  private readonly composite = new CompositeStats();
  private readonly correlations: TestCorrelations;
  private missing = 0;

  constructor(private readonly options: RewardTallyOptions) {
    this.correlations = new TestCorrelations(options.passThreshold);
  }

  add({ rewards, groupId, outcome }: Episode): void {
    for (const source of REWARD_SOURCES) this.countSource(effectiveSignal(rewards, [source]));
    this.correlations.add(rewards, outcome.passed ?? null);
    const composite = rewards.findLast(({ shape }) => shape === 'composite');
    if (composite) this.composite.add(composite);
    const counts = effectiveSignal(rewards, this.options.order);
    if (counts === null) {
      this.missing += 1;
      return;
    }
    this.effective.add(counts.value);
    this.histogram.add(counts.value);
    this.shapes.add(shapeOf(counts));
    if (groupId !== null) this.groups.add(groupId, counts.value);
  }

  report(): RewardStats {
    const { order, passThreshold } = this.options;
    const stats = {
      order: [...order],
      passThreshold,
      effective: momentsOf(this.effective),
      missing: this.missing,
      shape: this.shape(),
      histogram: this.histogram.bins(),
      sources: [...this.bySource].map(([source, moments]) => ({
        source,
        quality: REWARD_QUALITY[source],
        ...momentsOf(moments),
      })),
      groups: this.groups.report(),
      correlations: this.correlations.report(),
      composite: this.composite.report(),
    };
    return { ...stats, warnings: rewardWarnings(stats) };
  }

  private countSource(signal: RewardSignal | null): void {
    if (signal === null) return;
    const moments = this.bySource.get(signal.source) ?? new RunningMoments();
    moments.add(signal.value);
    this.bySource.set(signal.source, moments);
  }

  private shape(): RewardStats['shape'] {
    const named = [...this.shapes].filter((shape) => shape !== 'whole' && shape !== 'fraction');
    // A 0 or 1 whose shape nobody named is binary only where nothing else occurs.
    const guessed = this.shapes.has('fraction') ? ['continuous'] : this.shapes.has('whole') ? ['binary'] : [];
    const all = new Set([...named, ...guessed]);
    return all.size > 1 ? 'mixed' : (([...all][0] as RewardStats['shape']) ?? null);
  }
}

function shapeOf({ shape, value }: RewardSignal): string {
  return shape ?? (value === 0 || value === 1 ? 'whole' : 'fraction');
}
