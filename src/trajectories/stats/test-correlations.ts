import { RunningCovariance } from '../../core/statistics/running-covariance.js';
import { effectiveSignal } from '../../core/trajectory/effective-reward.js';
import type { RewardSignal, RewardSource } from '../../core/trajectory/reward-signal.schema.js';
import type { Correlation } from './stats-report.schema.js';

const OTHERS: readonly RewardSource[] = ['user', 'reward_model', 'implicit'];
/** Names come from data: more than these are not kept. */
const MAX_NAMES = 64;
/** What a shape notes beside a score, and the name under which verifiers repeat the reward itself. */
const NOT_MEASURES = new Set(['threshold', 'environment.reward']);

interface Pair {
  withReward: RunningCovariance;
  withPass: RunningCovariance;
}

/** How intermediate rewards go along with the final test: of every other source, and of the named values of all. */
export class TestCorrelations {
  private readonly pairs = new Map<string, Pair>();

  /** `passThreshold`: the least reward of the environment that is a pass where a row does not say so itself. */
  constructor(private readonly passThreshold: number) {}

  /** `passed`: what the run itself made of the reward, by its own threshold; null = unknown. */
  add(signals: readonly RewardSignal[], passed: boolean | null): void {
    const test = effectiveSignal(signals, ['environment']);
    if (test === null) return;
    const pass = (passed ?? test.value >= this.passThreshold) ? 1 : 0;
    for (const [name, value] of measuresOf(signals, test)) {
      const pair = this.pair(name);
      pair?.withReward.add(value, test.value);
      pair?.withPass.add(value, pass);
    }
  }

  report(): Correlation[] {
    return [...this.pairs].map(([signal, { withReward, withPass }]) => ({
      signal,
      rows: withReward.count,
      withReward: withReward.correlation,
      withPass: withPass.correlation,
    }));
  }

  private pair(name: string): Pair | null {
    const known = this.pairs.get(name);
    if (known !== undefined) return known;
    if (this.pairs.size >= MAX_NAMES) return null;
    const made = { withReward: new RunningCovariance(), withPass: new RunningCovariance() };
    this.pairs.set(name, made);
    return made;
  }
}

function* measuresOf(signals: readonly RewardSignal[], test: RewardSignal): Generator<[string, number]> {
  yield* named('environment', test);
  // A composite may hold the test itself; its parts have a table of their own.
  const plain = signals.filter(({ shape }) => shape !== 'composite');
  for (const source of OTHERS) {
    const signal = effectiveSignal(plain, [source]);
    if (signal === null) continue;
    yield [source, signal.value];
    if (source !== 'implicit') yield* named(source, signal);
  }
}

function* named(source: RewardSource, { components = {} }: RewardSignal): Generator<[string, number]> {
  for (const [name, value] of Object.entries(components))
    if (!NOT_MEASURES.has(name) && !NOT_MEASURES.has(`${source}.${name}`)) yield [`${source}.${name}`, value];
}
