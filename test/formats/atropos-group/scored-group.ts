import { moments } from '../../../src/core/advantage/moments.js';
import type { Episode } from '../../../src/core/trajectory/episode.schema.js';
import type { GroupRecord } from '../../../src/store/records/group.schema.js';
import { type Sampled, sampledEpisode, TWO_TURNS } from '../tokens/sampled-episode.js';

export interface PlannedMember {
  reward: number | null;
  turns?: readonly Sampled[];
  /** Its turns are of a policy that is too old. */
  stale?: boolean;
  facts?: Partial<Episode>;
}

/** A closed group as its record and its episodes have it: `run/list-files/<index>`, one member per entry. */
export function scoredGroup(
  members: readonly PlannedMember[],
  facts: Partial<GroupRecord> = {},
): { record: GroupRecord; episodes: Episode[] } {
  const index = facts.index ?? 0;
  const first = index * members.length;
  const rewards = members.flatMap(({ reward }) => (reward === null ? [] : [reward]));
  const { mean, std } = moments(rewards);
  const record: GroupRecord = {
    schemaVersion: 1,
    groupId: `run/list-files/${index}`,
    taskId: 'list-files',
    index,
    size: members.length,
    estimator: 'grpo',
    policy: 'min-valid',
    valid: rewards.length > 0,
    reason: rewards.length > 0 ? null : 'no member has a score',
    members: members.map(({ reward, turns = TWO_TURNS }, i) => ({
      sample: first + i,
      rolloutId: `run/list-files/${first + i}`,
      attempt: 1,
      reward,
      stopReason: reward === null ? 'llm_error' : 'natural',
      turns: turns.length,
      advantages: reward === null ? null : turns.map(() => reward - mean),
      policyVersion: null,
    })),
    mean: rewards.length > 0 ? mean : null,
    std: rewards.length > 0 ? std : null,
    zeroVariance: std === 0,
    policyVersions: [],
    closedAt: 1_000,
    ...facts,
  };
  const episodes = members.map(({ reward, turns, stale = false, facts: own }, i) => {
    const episode = sampledEpisode(first + i, reward, turns, own);
    return stale ? { ...episode, turns: episode.turns.map((turn) => ({ ...turn, masked: true })) } : episode;
  });
  return { record, episodes };
}
