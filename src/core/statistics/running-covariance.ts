import { RunningMoments } from './running-moments.js';

/** Variances below this are rounding errors of values that are all the same. */
const NO_VARIANCE = 1e-24;

/** Covariance and correlation of a stream of pairs, in constant memory (Welford 1962, for two variables). */
export class RunningCovariance {
  readonly x = new RunningMoments();
  readonly y = new RunningMoments();
  private products = 0;

  add(x: number, y: number): void {
    const offX = x - (this.x.mean ?? 0);
    this.x.add(x);
    this.y.add(y);
    this.products += offX * (y - (this.y.mean as number));
  }

  get count(): number {
    return this.x.count;
  }

  /** Unbiased; null of fewer than two pairs. */
  get covariance(): number | null {
    return this.count < 2 ? null : this.products / (this.count - 1);
  }

  /** Pearson's r in [-1, 1]; null of fewer than two pairs, or where one side never changes. */
  get correlation(): number | null {
    const { covariance } = this;
    const spread = [this.x.variance ?? 0, this.y.variance ?? 0];
    if (covariance === null || spread.some((variance) => variance < NO_VARIANCE)) return null;
    const [x, y] = spread as [number, number];
    return Math.min(1, Math.max(-1, covariance / Math.sqrt(x * y)));
  }
}
