import type { ExportFormat, ExportRow } from '../export-format.js';
import { Float, float } from '../python-json.js';
import {
  refuseZeroVariance,
  type TrainingGroup,
  type TrainingMember,
  trainable,
  trainingGroup,
} from '../tokens/training-group.js';
import { trainingOptions } from '../tokens/training-options.js';
import { policyVersions, type TrainingSequence } from '../tokens/training-sequence.js';
import { policyDatum, supervisedDatum } from './datum.js';
import { trajectoryLine } from './trajectory-line.js';

/**
 * Tinker's `Datum`, one a line. A datum has no room for ids of ours, so they stand beside it, in lines of their
 * own: `.traj.jsonl` one a rollout, `.meta.jsonl` one a datum, both in the order of the datums.
 */
export const tinkerFormat: ExportFormat = {
  name: 'tinker',
  unit: 'group',
  layout: 'lines',
  usesTools: false,
  rows(episodes, context) {
    const { keepZeroVariance, withoutLogprobs } = trainingOptions(context);
    const demands = { reward: !withoutLogprobs, logprobs: !withoutLogprobs };
    const group = trainingGroup(episodes, context, demands);
    const refused = [...group.refused];
    const members = trainable(group);
    if (members.length === 0) return { rows: [], refused };
    if (!withoutLogprobs && !keepZeroVariance && members.every(hasNoSignal))
      return { rows: [], refused: [...refused, ...refuseZeroVariance(members)] };
    return { rows: group.members.flatMap((member) => rowsOf(group, member, withoutLogprobs)), refused };
  },
};

function rowsOf({ groupId }: TrainingGroup, member: TrainingMember, supervised: boolean): ExportRow[] {
  // Without a reward it is in no mean, and without sequences there is nothing else to tell of it.
  if (member.reward === null && member.sequences.length === 0) return [];
  const datums = member.sequences.map((sequence) =>
    supervised ? supervisedDatum(sequence) : policyDatum(sequence, member.advantages),
  );
  return [
    { file: '.traj.jsonl', value: trajectoryLine(groupId, member) },
    ...datums.map((value) => ({ file: null, value })),
    ...member.sequences.map((sequence, index) => ({
      file: '.meta.jsonl',
      value: metaLine(groupId, member, sequence, index),
    })),
  ];
}

/** Whose datum it is: what a trainer must be able to say of what it trained on. */
function metaLine(
  groupId: string,
  { episode, reward, sequences, advantages }: TrainingMember,
  sequence: TrainingSequence,
  index: number,
) {
  const turns = sequence.spans.map(({ turn }) => turn);
  return {
    group_id: groupId,
    session_id: episode.sessionId,
    sequence: index,
    sequences: sequences.length,
    turns,
    reward: float(reward),
    advantages: turns.map((turn) => new Float(advantages[turn] as number)),
    policy_versions: policyVersions([sequence]),
    tokenized_by: episode.tokenizedBy,
  };
}

/** Datums of which every advantage is 0 change no weight. */
function hasNoSignal({ sequences, advantages }: TrainingMember): boolean {
  return sequences.every(({ spans }) => spans.every(({ turn }) => advantages[turn] === 0));
}
