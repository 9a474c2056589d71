import { RunningCovariance } from '../../core/statistics/running-covariance.js';
import { RunningMoments } from '../../core/statistics/running-moments.js';
import type { RewardSignal } from '../../core/trajectory/reward-signal.schema.js';
import { momentsOf } from './moments-of.js';
import type { RewardStats } from './stats-report.schema.js';

interface Part {
  weight: RunningMoments;
  value: RunningMoments;
  /** Contribution against the whole reward. */
  contribution: RunningCovariance;
}

/** What the parts of composite rewards come to over a stream. */
export class CompositeStats {
  private rows = 0;
  private readonly parts = new Map<string, Part>();

  add({ value: whole, parts }: RewardSignal): void {
    if (parts === null) return;
    this.rows += 1;
    for (const [name, { value, weight, contribution }] of Object.entries(parts)) {
      const part = this.part(name);
      part.weight.add(weight);
      part.value.add(value);
      part.contribution.add(contribution, whole);
    }
  }

  report(): RewardStats['composite'] {
    if (this.rows === 0) return null;
    const parts = [...this.parts].map(([name, { weight, value, contribution }]) => ({
      name,
      weight: { min: weight.min as number, max: weight.max as number },
      value: momentsOf(value),
      meanContribution: contribution.x.mean as number,
      varianceShare: shareOf(contribution),
    }));
    return { rows: this.rows, parts };
  }

  private part(name: string): Part {
    let part = this.parts.get(name);
    if (part === undefined) {
      part = {
        weight: new RunningMoments(),
        value: new RunningMoments(),
        contribution: new RunningCovariance(),
      };
      this.parts.set(name, part);
    }
    return part;
  }
}

/** Var(Σ cᵢ) = Σ Cov(cᵢ, Σ c): the shares of all parts sum to 1. */
function shareOf({ covariance, y }: RunningCovariance): number | null {
  const { variance } = y;
  return covariance === null || variance === null || variance < 1e-24 ? null : covariance / variance;
}
