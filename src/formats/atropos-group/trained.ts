import type { StepAdvantage } from '../../core/advantage/group.js';
import { moments } from '../../core/advantage/moments.js';
import { perToken } from '../tokens/per-token.js';
import type { TrainingSequence } from '../tokens/training-sequence.js';

/** Whether any id of a sequence is trained: it was sampled, and by a policy that is not too old. */
export const isTrained = ({ spans }: TrainingSequence): boolean =>
  spans.some(({ length, masked }) => length > 0 && !masked);

/** `advantages` of a sequence from those of its steps, one number each or one per sampled id; 0 where untrained. */
export function memberAdvantages(
  sequence: TrainingSequence,
  ofStep: readonly StepAdvantage[] | null,
): number[] {
  return perToken(sequence, 0, ({ turn, length }, offset) => {
    const advantage = ofStep?.[turn] ?? 0;
    if (typeof advantage === 'number') return advantage;
    return advantage.length === length ? (advantage[offset] as number) : moments(advantage).mean;
  });
}
