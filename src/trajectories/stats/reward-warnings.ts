import { percent } from '../../report/quantities.js';
import type { RewardStats } from './stats-report.schema.js';

/** From here on half of what was paid for teaches nothing. */
const MUCH_ZERO_VARIANCE = 0.5;
const WEAK_CORRELATION = 0.3;
/** Fewer rows say nothing of a correlation. */
const ENOUGH_ROWS = 10;
const DOMINANT_SHARE = 0.8;
const NO_SHARE = 0.01;

/** The risks that each shape of reward is known for, where the numbers show them. */
export function rewardWarnings(stats: Omit<RewardStats, 'warnings'>): string[] {
  return [...binaryWarnings(stats), ...continuousWarnings(stats), ...compositeWarnings(stats)];
}

function binaryWarnings({
  groups: { compared, zeroVariance, share },
}: Omit<RewardStats, 'warnings'>): string[] {
  if (share === null || share < MUCH_ZERO_VARIANCE) return [];
  return [
    `sparse: in ${zeroVariance} of ${compared} groups all rewards are the same, so that ${percent(share)} of the groups give no advantage`,
  ];
}

function continuousWarnings({ correlations }: Omit<RewardStats, 'warnings'>): string[] {
  const weak = correlations.filter(
    ({ signal, rows, withReward }) =>
      !signal.endsWith('.score') &&
      rows >= ENOUGH_ROWS &&
      withReward !== null &&
      withReward < WEAK_CORRELATION,
  );
  return weak.map(
    ({ signal, withReward }) =>
      `intermediate: ${signal} hardly goes along with the final test (r = ${(withReward as number).toFixed(2)})`,
  );
}

function compositeWarnings({ composite }: Omit<RewardStats, 'warnings'>): string[] {
  if (composite === null || composite.parts.length < 2 || composite.rows < ENOUGH_ROWS) return [];
  return composite.parts.flatMap(({ name, varianceShare }) => {
    if (varianceShare === null) return [];
    if (varianceShare > DOMINANT_SHARE)
      return [
        `weights: ${name} makes ${percent(varianceShare)} of the variance of the reward, the other parts hardly count`,
      ];
    if (Math.abs(varianceShare) < NO_SHARE) return [`weights: ${name} makes no difference to the reward`];
    return varianceShare < 0 ? [`weights: ${name} works against the other parts`] : [];
  });
}
