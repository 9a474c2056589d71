import { samplesOf } from '../../core/group/group-plan.js';
import { publicUrl } from '../../model/endpoint.js';
import { readMemberResult } from '../../records/read-group.js';
import { readClosedRun } from '../../records/write-summary.js';
import { pauseNote } from '../../report/pause-text.js';
import { readGroup } from '../../store/groups.js';
import { keys } from '../../store/keys.js';
import { gatherBounded } from '../../store/map-bounded.js';
import type { GroupRecord } from '../../store/records/group.schema.js';
import type { RolloutResult, RunRecord } from '../../store/records/records.schema.js';
import { readResult, readRun } from '../../store/runs.js';
import type { ArtifactStore } from '../../store/store.js';
import type { RunProgress } from '../../temporal/run-client.js';
import type { Member, RolloutAnswer } from './answers.schema.js';
import type { RolloutApiDeps } from './deps.js';
import { describeMember } from './describe-member.js';
import type { RequestRecord } from './request-record.schema.js';

type Standing = Pick<RolloutAnswer, 'status' | 'note'>;

/** What there is to say of a group that was asked for; its members once it has ended. */
export async function rolloutAnswer(
  { store, runs }: Pick<RolloutApiDeps, 'store' | 'runs'>,
  request: RequestRecord,
): Promise<RolloutAnswer> {
  const { id, runId, environment, taskId, groupSize, policy, createdAt } = request;
  const run = await readRun(store, runId);
  const closed = await readClosedRun(store, runId);
  const standing =
    closed === null ? standingOf(await runs.progress(runId), run) : closedStanding(closed.status);
  const group = await readGroup(store, { runId, taskId, index: 0 });
  return {
    id,
    runId,
    ...standing,
    environment: environment.name,
    item: taskId,
    groupSize,
    policy: { ...policy, baseUrl: policy.baseUrl === null ? null : publicUrl(policy.baseUrl) },
    // The record of a group is put once all its members have ended.
    ended: group === null ? await countEnded(store, request) : groupSize,
    createdAt,
    group: group === null ? null : groupAnswer(group),
    members: closed === null ? [] : await readMembers(store, run, request, group),
  };
}

function standingOf(progress: RunProgress | null, run: RunRecord): Standing {
  if (progress?.status === 'failed')
    return { status: 'failed', note: `Carry it on with: longrun runs recover ${run.runId}` };
  const paused = progress?.status === 'paused' ? pauseNote(progress.reason, run.config) : null;
  return { status: 'running', note: paused === null ? null : `It is paused: ${paused}.` };
}

const closedStanding = (status: 'finished' | 'cancelled'): Standing => ({
  status: status === 'finished' ? 'done' : 'cancelled',
  note: null,
});

async function countEnded(
  store: ArtifactStore,
  { runId, taskId, groupSize }: RequestRecord,
): Promise<number> {
  const hasEnded = (sample: number) => store.has(keys.result({ runId, taskId, sample }));
  const ended = await gatherBounded(samplesOf(0, groupSize), hasEnded);
  return ended.filter(Boolean).length;
}

function groupAnswer(group: GroupRecord): RolloutAnswer['group'] {
  const { groupId, estimator, valid, reason, mean, std, zeroVariance, policyVersions } = group;
  return { groupId, estimator, valid, reason, mean, std, zeroVariance, policyVersions };
}

/** By sample: the attempts that the group counts or, where it was cancelled before it closed, the results there are. */
async function readMembers(
  store: ArtifactStore,
  run: RunRecord,
  { taskId, groupSize }: RequestRecord,
  group: GroupRecord | null,
): Promise<Member[]> {
  const results: (RolloutResult | null)[] = [];
  if (group === null)
    for (const sample of samplesOf(0, groupSize))
      results.push(await readResult(store, { runId: run.runId, taskId, sample }));
  else
    for (const member of group.members)
      results.push(await readMemberResult(store, run.runId, taskId, member));
  const members: Member[] = [];
  // One at a time: each may hold a large conversation.
  for (const result of results)
    if (result !== null) members.push(await describeMember(store, run, result, group));
  return members;
}
