import { rolloutId } from '../../core/ids.js';
import type { Episode } from '../../core/trajectory/episode.schema.js';
import { Float, float } from '../../formats/python-json.js';
import { type Datum, policyDatum } from '../../formats/tinker/datum.js';
import { type TrainingMember, trainingGroup } from '../../formats/tokens/training-group.js';
import { policyVersions, type TrainingSequence } from '../../formats/tokens/training-sequence.js';
import type { GroupRecord } from '../../store/records/group.schema.js';
import type { BatchGroup } from './ledger.schema.js';

/** A member, or a sequence of one, that gives no datum. */
export interface LeftOut {
  rollout_id: string;
  rule: string;
  reason: string;
}

/** One datum, and whose it is. */
export interface GroupDatum {
  datum: Datum;
  member: TrainingMember;
  sequence: TrainingSequence;
  /** Of how many sequences of its rollout it is which, from 0. */
  nth: number;
}

export interface GroupDatums {
  datums: GroupDatum[];
  leftOut: LeftOut[];
}

/** The datums of a group in the order of its members, from the rewards and advantages of its record. */
export function groupDatums(
  record: GroupRecord,
  episodes: readonly Episode[],
  maxTokenLength: number | null,
): GroupDatums {
  const rewards = new Map(record.members.map(({ sample, reward }) => [sample, reward]));
  const rewardOf = ({ rollout }: Episode): number | null => rewards.get(rollout?.sample ?? -1) ?? null;
  const group = trainingGroup(episodes, { rewardOf }, { reward: true, logprobs: true });
  const idOf = (sessionId: string): string =>
    rolloutName(episodes.find((episode) => episode.sessionId === sessionId)) ?? sessionId;
  const leftOut: LeftOut[] = group.refused.map(({ sessionId, code, reason }) => ({
    rollout_id: idOf(sessionId),
    rule: code,
    reason,
  }));
  const datums: GroupDatum[] = [];
  for (const member of group.members)
    for (const [nth, sequence] of member.sequences.entries()) {
      const problem = sequenceProblem(sequence, maxTokenLength);
      if (problem === null)
        datums.push({ datum: policyDatum(sequence, member.advantages), member, sequence, nth });
      else leftOut.push({ rollout_id: idOf(member.episode.sessionId), ...problem });
    }
  return { datums, leftOut };
}

function sequenceProblem(
  { ids }: TrainingSequence,
  longest: number | null,
): Omit<LeftOut, 'rollout_id'> | null {
  if (longest === null || ids.length <= longest) return null;
  return { rule: 'too_long', reason: `a sequence has ${ids.length} tokens, more than ${longest}` };
}

/** Whose datum it is: what a trainer must be able to say of what it trained on. */
export function metaLine(
  batch: number,
  { members, index }: BatchGroup,
  record: GroupRecord,
  found: GroupDatum,
) {
  const { member, sequence, nth } = found;
  const { episode, reward, sequences, advantages } = member;
  const judged = members.find(({ sample }) => sample === episode.rollout?.sample);
  return {
    batch,
    group_id: record.groupId,
    task_id: record.taskId,
    group_index: index,
    rollout_id: rolloutName(episode),
    attempt: episode.rollout?.attempt ?? null,
    session_id: episode.sessionId,
    sequence: nth,
    sequences: sequences.length,
    reward: float(reward),
    mean: float(record.mean),
    estimator: record.estimator,
    spans: sequence.spans.map((span) => ({
      turn: span.turn,
      start: span.start,
      length: span.length,
      sequence_id: span.sequenceId,
      policy_version: span.policyVersion,
      advantage: new Float(span.masked ? 0 : (advantages[span.turn] as number)),
      masked: span.masked,
    })),
    policy_versions: policyVersions([sequence]),
    lag: judged?.lag ?? null,
    temperature: float(episode.temperature ?? null),
  };
}

function rolloutName(episode: Episode | undefined): string | null {
  return episode?.rollout ? rolloutId(episode.rollout) : null;
}
