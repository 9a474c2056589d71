import type { Episode } from '../../core/trajectory/episode.schema.js';
import type { GroupRecord } from '../../store/records/group.schema.js';
import { episodeSequences } from '../tokens/episode-sequences.js';
import { hasLogprobs, type TrainingSequence } from '../tokens/training-sequence.js';
import { isTrained } from './trained.js';

/** Something of a group that no trainer gets. */
export interface LeftOut {
  sample: number;
  /** Of its training sequences, from 0; null = all of them. */
  sequence: number | null;
  code: string;
  reason: string;
}

/** A member of a group, with those of its training sequences that a trainer gets. */
export interface GroupMember {
  record: GroupRecord['members'][number];
  /** Null: it has no trajectory. */
  episode: Episode | null;
  sequences: { sequence: TrainingSequence; index: number }[];
  /** Its training sequences before any was left out. */
  total: number;
  leftOut: LeftOut[];
  /** The code of what left out all of it; null where anything is sent. */
  problem: string | null;
}

/** Sequences of `maxTokenLength` ids or more are left out; null = no limit. */
export function groupMember(
  record: GroupMember['record'],
  episode: Episode | null,
  maxTokenLength: number | null,
): GroupMember {
  const { sample } = record;
  const without = (code: string, reason: string, total = 0): GroupMember => {
    const leftOut = [{ sample, sequence: null, code, reason }];
    return { record, episode, sequences: [], total, leftOut, problem: code };
  };
  if (record.reward === null)
    return without('no_reward', `it has no reward: ${record.stopReason ?? 'it has not ended'}`);
  if (episode === null) return without('no_trajectory', 'it has no trajectory');
  const { sequences: all, problem } = episodeSequences(episode);
  if (problem !== null) return without(problem.code, problem.reason);
  const total = all.length;
  if (!hasLogprobs(all))
    return without('no_logprobs', 'its ids were recorded without log-probabilities', total);
  const trained = all.map((sequence, index) => ({ sequence, index })).filter((it) => isTrained(it.sequence));
  if (trained.length === 0) return without('stale', 'the policy that sampled it is too old', total);
  const fits = ({ sequence }: (typeof trained)[number]) =>
    maxTokenLength === null || sequence.ids.length < maxTokenLength;
  const sequences = trained.filter(fits);
  const leftOut = trained
    .filter((it) => !fits(it))
    .map(({ sequence: { ids }, index }) => {
      const reason = `it has ${ids.length} token ids; the trainer takes fewer than ${maxTokenLength}`;
      return { sample, sequence: index, code: 'too_long', reason };
    });
  return { record, episode, sequences, total, leftOut, problem: sequences.length === 0 ? 'too_long' : null };
}

/** The ids of its first prompt; null where none were recorded. */
export function promptOf({ episode }: GroupMember): readonly number[] | null {
  const ids = episode?.turns.find(({ promptTokenIds }) => (promptTokenIds?.length ?? 0) > 0)?.promptTokenIds;
  return ids?.every((id) => Number.isInteger(id)) ? ids : null;
}
