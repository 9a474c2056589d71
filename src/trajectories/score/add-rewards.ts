import { implicitSignal } from '../../core/reward/implicit-signal.js';
import {
  compositeSignal,
  type Judgement,
  judgedSignal,
  type RewardShape,
} from '../../core/reward/shaped-signal.js';
import type { Episode } from '../../core/trajectory/episode.schema.js';
import type { RewardSignal } from '../../core/trajectory/reward-signal.schema.js';
import type { KeptScore } from './kept-score.schema.js';

export interface RewardOptions {
  shape: RewardShape;
  /** Adds the implicit signal. */
  implicit: boolean;
  /** Epoch milliseconds. */
  now: number;
}

/** The episode with its new rewards behind those that it has, and which those are; `lacks` names the parts without which there is no composite. */
export function addRewards(
  episode: Episode,
  kept: KeptScore | null,
  { shape, implicit, now }: RewardOptions,
): { episode: Episode; added: readonly RewardSignal[]; lacks: string[] } {
  const judgement: Judgement | null = kept;
  const added: RewardSignal[] = [];
  const observed = implicit ? implicitSignal(episode, now) : null;
  if (observed) added.push(observed);
  if (judgement) {
    const plain = shape.kind === 'composite' ? ({ kind: 'continuous' } as const) : shape;
    added.push({ ...judgedSignal(judgement, plain), at: now });
  }
  let lacks: string[] = [];
  if (shape.kind === 'composite') {
    const composite = compositeSignal(episode, shape.weights, judgement, now);
    if ('missing' in composite) lacks = composite.missing;
    else added.push(composite);
  }
  const rewards = added.reduce(withSignal, episode.rewards);
  return { episode: { ...episode, rewards }, added, lacks };
}

/** Scoring the same rows again by the same means adds nothing, but what was asked for last counts. */
function withSignal(signals: RewardSignal[], added: RewardSignal): RewardSignal[] {
  const same = (signal: RewardSignal): boolean => sameBut(signal) === sameBut(added);
  return [...signals.filter((signal) => !same(signal)), added];
}

const sameBut = ({ source, value, shape, by, components, parts }: RewardSignal): string =>
  JSON.stringify([source, value, shape, by, components ?? {}, parts]);
