import type { GroupRecord } from '../../store/records/group.schema.js';
import type { GroupDatum, GroupDatums } from './group-datums.js';

/** Why a group is in no batch. */
export interface GroupProblem {
  rule: string;
  reason: string;
}

/** What the record of a group says already. */
export function recordProblem(
  { valid, reason, zeroVariance, mean }: GroupRecord,
  keepZeroVariance: boolean,
): GroupProblem | null {
  if (!valid) return { rule: 'invalid', reason: reason ?? 'the group is not valid' };
  if (!zeroVariance || keepZeroVariance) return null;
  return { rule: 'zero_variance', reason: `all its scored rollouts have the reward ${mean}` };
}

/** What its datums say: nothing to train, or what no trainer may see. */
export function datumProblem(
  { datums, leftOut }: GroupDatums,
  keepZeroVariance: boolean,
): GroupProblem | null {
  if (datums.length === 0) {
    const first = leftOut[0];
    if (first === undefined) return { rule: 'no_rollouts', reason: 'none of its rollouts has a trajectory' };
    return {
      rule: first.rule,
      reason: `no rollout of it can be trained; ${first.rollout_id}: ${first.reason}`,
    };
  }
  if (datums.every(({ sequence }) => sequence.spans.every(({ masked }) => masked)))
    return { rule: 'stale', reason: 'the policy of all its rollouts is too old' };
  const all = datums.flatMap(advantagesOf);
  const bad = all.find((advantage) => !Number.isFinite(Math.fround(advantage)));
  if (bad !== undefined)
    return { rule: 'not_finite', reason: `${bad} among its advantages is no finite 32-bit number` };
  if (keepZeroVariance || all.some((advantage) => advantage !== 0)) return null;
  return { rule: 'zero_variance', reason: 'every advantage in it is 0' };
}

function advantagesOf({ member, sequence }: GroupDatum): number[] {
  return sequence.spans
    .filter(({ masked, length }) => !masked && length > 0)
    .map(({ turn }) => member.advantages[turn] as number);
}
