import { Prefix } from '../prefix.js';
import { Float, float } from '../python-json.js';
import type { TrainingMember } from '../tokens/training-group.js';
import type { SampledSpan, TrainingSequence } from '../tokens/training-sequence.js';

/**
 * A rollout as the observations and actions that its datums were made of, for conversions of one's own: with the
 * cookbook's they must come out the same. Each observation is a whole prompt, as there; its ids are those of the
 * sequence, and only the text that is written of them repeats them. One without ids has no transitions, and counts in its group's mean.
 */
export function trajectoryLine(groupId: string, { reward, sequences }: TrainingMember) {
  return {
    group: groupId,
    reward: float(reward),
    transitions: sequences.flatMap((sequence) => sequence.spans.map((span) => transition(sequence, span))),
  };
}

function transition({ ids }: TrainingSequence, { start, length, logprobs, masked, sequenceId }: SampledSpan) {
  return {
    ob: new Prefix(ids, start),
    ac: ids.slice(start, start + length),
    logprobs: logprobs?.map((value) => new Float(value)) ?? null,
    masked,
    sequence_id: sequenceId,
  };
}
