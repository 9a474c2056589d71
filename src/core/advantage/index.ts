import type { Estimator } from './group.js';
import { drGrpo, grpo, opo, rloo } from './group-baseline.js';
import { maxRl } from './max-rl.js';
import { passK } from './pass-k.js';
import { reinforcePlusPlus, reinforcePlusPlusBaseline } from './reinforce.js';
import { giGpo, mcReturn, processSupervision } from './step-advantages.js';

/** Every estimator by the name that `--estimator` takes. */
export const ESTIMATORS = {
  grpo,
  'dr-grpo': drGrpo,
  rloo,
  'reinforce++': reinforcePlusPlus,
  'reinforce++-baseline': reinforcePlusPlusBaseline,
  maxrl: maxRl,
  opo,
  passk: passK,
  gigpo: giGpo,
  'mc-return': mcReturn,
  'process-supervision': processSupervision,
} as const satisfies Record<string, Estimator>;
export type EstimatorName = keyof typeof ESTIMATORS;

/** Estimators that normalise over several groups: a group alone has no advantage under them. */
export const BATCH_ESTIMATORS: readonly EstimatorName[] = ['reinforce++', 'reinforce++-baseline'];

export type {
  AdvantageGroup,
  AdvantageMember,
  AdvantageStep,
  Estimator,
  EstimatorOptions,
  GroupAdvantages,
  StepAdvantage,
} from './group.js';
export { type LengthShaping, shapeByLength } from './length-shaping.js';
