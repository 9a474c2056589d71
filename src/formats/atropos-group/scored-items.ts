import { largest } from '../../core/lists/extremes.js';
import type { Episode } from '../../core/trajectory/episode.schema.js';
import type { GroupRecord } from '../../store/records/group.schema.js';
import { policyVersions } from '../tokens/training-sequence.js';
import {
  type AtroposSequence,
  encodeSequence,
  UNTRAINED_LABEL,
  UNTRAINED_LOGPROB,
} from './encode-sequence.js';
import { type GroupMember, groupMember, type LeftOut, promptOf } from './group-member.js';
import type { EntryOverrides, ScoredItem } from './scored-item.js';
import { memberAdvantages } from './trained.js';

export interface ScoredItemsOptions {
  /** Sequences of so many ids or more are left out, as trainers drop them; null = no limit. */
  maxTokenLength: number | null;
  /** Groups of equal rewards become items, too. */
  keepZeroVariance: boolean;
  /** Versions of the policy since a rollout of this sample began; null = unknown. */
  lagOf?(sample: number): number | null;
}

export interface ScoredItems {
  /** Empty where the group teaches nothing. */
  items: ScoredItem[];
  /** Why there are none; null when there are. */
  skipped: { code: 'invalid' | 'zero_variance' | 'nothing_to_train'; reason: string } | null;
  leftOut: LeftOut[];
}

/**
 * A group as `ScoredData`, of which every item has one entry per member, in their order: entry i of item j is
 * sequence j of member i or, where there is none, a filler (its prompt, nothing of it trained). Servers take items of
 * exactly the group's size only, and trainers centre the scores of each item for itself: so each has the mean and
 * the standard deviation of the whole group. A member without a score enters with the mean.
 */
export function scoredItems(
  group: GroupRecord,
  episodes: readonly Episode[],
  options: ScoredItemsOptions,
): ScoredItems {
  if (!group.valid) return skip('invalid', group.reason ?? 'it is not valid');
  const rewards = group.members.flatMap(({ reward }) => (reward === null ? [] : [reward]));
  if (!options.keepZeroVariance && (group.std === 0 || new Set(rewards).size < 2))
    return skip('zero_variance', `its ${rewards.length} scored members all have the reward ${rewards[0]}`);
  const members = group.members.map((record) =>
    groupMember(
      record,
      episodes.find(({ rollout }) => rollout?.sample === record.sample) ?? null,
      options.maxTokenLength,
    ),
  );
  const leftOut = members.flatMap((member) => member.leftOut);
  const count = largest(members.map(({ sequences }) => sequences.length));
  if (count === 0) return skip('nothing_to_train', leftOut[0]?.reason ?? 'it has no members', leftOut);
  const items = Array.from({ length: count }, (_, item) => scoredItem(group, members, item, count, options));
  return { items, skipped: null, leftOut };
}

function skip(
  code: NonNullable<ScoredItems['skipped']>['code'],
  reason: string,
  leftOut: LeftOut[] = [],
): ScoredItems {
  return { items: [], skipped: { code, reason }, leftOut };
}

function scoredItem(
  group: GroupRecord,
  members: readonly GroupMember[],
  item: number,
  items: number,
  options: ScoredItemsOptions,
): ScoredItem {
  const prompt = members.map(promptOf).find((ids) => ids !== null) ?? [0];
  const entries = members.map((member) => {
    const own = member.sequences[item] ?? null;
    const encoded = own
      ? encodeSequence(own.sequence)
      : filler(promptOf(member) ?? prompt, options.maxTokenLength);
    return { member, own, ...encoded };
  });
  const temperature = members.find(({ episode }) => episode !== null)?.episode?.temperature ?? null;
  const estimated = members.some(({ record }) => record.advantages !== null);
  return {
    tokens: entries.map(({ tokens }) => tokens),
    masks: entries.map(({ masks }) => masks),
    scores: members.map(({ record }) => record.reward ?? group.mean ?? 0),
    advantages: estimated ? entries.map(advantagesOf) : null,
    ref_logprobs: null,
    inference_logprobs: entries.map(({ inferenceLogprobs }) => inferenceLogprobs ?? []),
    messages: null,
    generation_params: temperature === null ? null : { temperature },
    overrides: entries.map((entry) => entryOverrides(entry, options)),
    group_overrides: { ...groupOverrides(group, members, entries), item, items },
    images: null,
  };
}

interface Entry extends AtroposSequence {
  member: GroupMember;
  /** Null: a filler. */
  own: GroupMember['sequences'][number] | null;
}

const advantagesOf = ({ member, own, tokens }: Entry): number[] =>
  own ? memberAdvantages(own.sequence, member.record.advantages) : tokens.map(() => 0);

function groupOverrides(group: GroupRecord, members: readonly GroupMember[], entries: readonly Entry[]) {
  const episode = members.find((member) => member.episode !== null)?.episode ?? null;
  return {
    group_id: group.groupId,
    group_size: members.length,
    run_id: group.groupId.slice(0, group.groupId.indexOf('/')),
    task_id: group.taskId,
    index: group.index,
    environment: episode?.environment ?? null,
    model: episode?.model ?? null,
    estimator: group.estimator,
    policy_versions: policyVersions(entries.flatMap(({ own }) => (own ? [own.sequence] : []))),
    scored: members.filter(({ record }) => record.reward !== null).length,
    mean: group.mean,
    std: group.std,
  };
}

function entryOverrides({ member, own }: Entry, { lagOf }: ScoredItemsOptions): EntryOverrides {
  const { record, sequences, total, problem } = member;
  const facts = {
    rollout_id: record.rolloutId,
    sample: record.sample,
    attempt: record.attempt,
    sequence: own?.index ?? null,
    sequences: total,
    policy_versions: own ? policyVersions([own.sequence]) : [],
    lag: lagOf?.(record.sample) ?? null,
    reward: record.reward,
  };
  if (own) return facts;
  const why = problem ?? `its ${sequences.length} sequences are in the items before`;
  return { ...facts, set_advantage_to_zero: true, filler: why };
}

function filler(prompt: readonly number[], maxTokenLength: number | null) {
  const tokens = maxTokenLength === null ? prompt : prompt.slice(0, Math.max(1, maxTokenLength - 1));
  return {
    tokens,
    masks: tokens.map(() => UNTRAINED_LABEL),
    inferenceLogprobs: tokens.map(() => UNTRAINED_LOGPROB),
  };
}
