import type { RunningMoments } from '../../core/statistics/running-moments.js';
import type { Moments } from './stats-report.schema.js';

/** As they stand in a report. */
export function momentsOf({ count, mean, sd, min, max }: RunningMoments): Moments {
  return { count, mean, sd, min, max };
}
