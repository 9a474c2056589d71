import type { AdvantageGroup } from '../core/advantage/index.js';
import { shapedGroup } from '../core/advantage/judge-group.js';
import { groupKeyOf, readGroup } from '../store/groups.js';
import type { GroupRecord } from '../store/records/group.schema.js';
import type { RolloutResult, RunRecord } from '../store/records/records.schema.js';
import { readReplayResults } from '../store/replays.js';
import { readSealedResult, readTask } from '../store/runs.js';
import type { ArtifactStore } from '../store/store.js';
import { advantageMember } from './advantage-member.js';
import { readTrial } from './read-trial.js';

export type GroupMember = GroupRecord['members'][number];

/**
 * What its closed group says of the attempt of a result; null while the group is open, where there is none, and
 * for an attempt that a replay made afterwards: a group's record is sealed with the attempts that counted then.
 */
export async function readMembership(
  store: ArtifactStore,
  run: RunRecord,
  { taskId, sample, attempt }: Pick<RolloutResult, 'taskId' | 'sample' | 'attempt'>,
): Promise<{ group: GroupRecord; member: GroupMember } | null> {
  const key = groupKeyOf(run, taskId, sample);
  const group = key === null ? null : await readGroup(store, key);
  const member = group?.members.find((one) => one.sample === sample && one.attempt === attempt);
  return group && member ? { group, member } : null;
}

/** The result of the attempt that a closed group counts, whatever replays came to afterwards; null = it had none. */
export async function readMemberResult(
  store: ArtifactStore,
  runId: string,
  taskId: string,
  { sample, attempt }: GroupMember,
): Promise<RolloutResult | null> {
  if (attempt === null) return null;
  const rollout = { runId, taskId, sample };
  const sealed = await readSealedResult(store, rollout);
  if (sealed?.attempt === attempt) return sealed;
  const replays = await readReplayResults(store, rollout);
  return replays.find((result) => result.attempt === attempt) ?? null;
}

/**
 * A closed group as the estimators take it, penalties for length taken off: for those that need a batch of
 * groups, which leave no advantages in the record.
 */
export async function readAdvantageGroup(
  store: ArtifactStore,
  run: RunRecord,
  { groupId, taskId, members }: GroupRecord,
): Promise<AdvantageGroup> {
  const task = await readTask(store, run.runId, taskId);
  const read = [];
  for (const member of members) {
    const result = await readMemberResult(store, run.runId, taskId, member);
    if (result === null || result.reward === null) read.push({ reward: null, steps: [] });
    else read.push(advantageMember(await readTrial(store, run.runId, task, result)));
  }
  return shapedGroup(run.config, { groupId, members: read });
}
