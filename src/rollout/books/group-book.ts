import { judgeGroup, neededScores } from '../../core/advantage/judge-group.js';
import { LongrunError } from '../../core/errors.js';
import { samplesOf } from '../../core/group/group-plan.js';
import { type GroupKey, groupId, rolloutId } from '../../core/ids.js';
import type { CloseGroupInput, GroupDigest, GroupOpening } from '../../core/run/workflow-messages.js';
import { advantageMember } from '../../records/advantage-member.js';
import { readTrial } from '../../records/read-trial.js';
import { readGroup } from '../../store/groups.js';
import { keys } from '../../store/keys.js';
import { gatherBounded } from '../../store/map-bounded.js';
import { type GroupRecord, groupRecordSchema } from '../../store/records/group.schema.js';
import { putRecordIfAbsent } from '../../store/records/records.js';
import type { RolloutResult, RunRecord } from '../../store/records/records.schema.js';
import { readResult, readRun, readTask } from '../../store/runs.js';
import type { ArtifactStore } from '../../store/store.js';
import type { RolloutDeps } from '../deps.js';
import { feedGroup } from './serve-book.js';

/** What a group's workflow needs to know at its start. A closed group says so. */
export async function openGroup({ store }: RolloutDeps, key: GroupKey): Promise<GroupOpening> {
  const [run, record] = await Promise.all([readRun(store, key.runId), readGroup(store, key)]);
  const { config } = run;
  // Whoever put it may have ended before it was fed, and nobody closes it once more.
  if (record !== null && config.serve !== null) await feedGroup(store, key.runId, record);
  const members = record === null ? await readMembers(store, run, key) : [];
  const open = members.filter(({ result }) => result === null).map(({ sample }) => sample);
  const begun = await gatherBounded(open, (sample) => hasBegun(store, { ...key, sample }));
  return {
    closed: record === null ? null : digestOf(record),
    samples: open,
    begun: open.length < members.length || begun.includes(true),
    open: open.length,
    scored: members.filter(({ result }) => result !== null && result.reward !== null).length,
    needed: neededScores(config),
    deadlineMs: config.groupPolicy === 'complete' ? null : config.groupDeadlineMs,
  };
}

async function hasBegun(store: ArtifactStore, rollout: { runId: string; taskId: string; sample: number }) {
  return (await store.children(keys.attempts(rollout))).length > 0;
}

/**
 * Puts the record of a group whose members have all ended, once; whoever comes second goes on with what is
 * stored. A cancelled group some member of which has no result stays open: null.
 */
export async function closeGroup(
  deps: RolloutDeps,
  { whole, ...key }: CloseGroupInput,
): Promise<GroupDigest | null> {
  const { store } = deps;
  const [run, known] = await Promise.all([readRun(store, key.runId), readGroup(store, key)]);
  if (known !== null) {
    // Whoever put it may have ended before it was fed.
    if (run.mode === 'serve') await feedGroup(store, key.runId, known);
    return digestOf(known);
  }
  const members = await readMembers(store, run, key);
  const missing = members.filter(({ result }) => result === null).length;
  if (missing > 0 && !whole) return null;
  if (missing > 0)
    throw new LongrunError('internal', `${missing} members of group ${groupId(key)} ended without a result`, {
      hint: `carry them on with: longrun runs recover ${key.runId}`,
    });
  const record = await sealGroup(
    deps,
    run,
    key,
    members.flatMap(({ result }) => result ?? []),
  );
  if (run.mode === 'serve') await feedGroup(store, key.runId, record);
  return digestOf(record);
}

async function sealGroup(
  deps: RolloutDeps,
  run: RunRecord,
  key: GroupKey,
  results: readonly RolloutResult[],
): Promise<GroupRecord> {
  const { runId, taskId, index } = key;
  const [{ sample = 0, attempt = 0 } = {}] = results;
  const first = { runId, taskId, sample, attempt };
  await deps.atCheckpoint('grouping:before', first);
  const record = await groupRecord(deps, run, key, results);
  await deps.atCheckpoint('grouping:effect', first);
  const at = keys.group(runId, taskId, index);
  const { value } = await putRecordIfAbsent(deps.store, groupRecordSchema, at, record);
  await deps.atCheckpoint('grouping:recorded', first);
  return value;
}

/** The result that counts of each member, in the order of their samples; null while it is open. */
function readMembers(
  store: ArtifactStore,
  { runId, config }: RunRecord,
  { taskId, index }: GroupKey,
): Promise<{ sample: number; result: RolloutResult | null }[]> {
  const { groupSize } = config;
  if (groupSize === null) throw new LongrunError('internal', `the rollouts of run ${runId} stand alone`);
  return gatherBounded(samplesOf(index, groupSize), async (sample) => ({
    sample,
    result: await readResult(store, { runId, taskId, sample }),
  }));
}

async function groupRecord(
  { store, now }: RolloutDeps,
  run: RunRecord,
  key: GroupKey,
  results: readonly RolloutResult[],
): Promise<GroupRecord> {
  const { runId, taskId, index } = key;
  const { config } = run;
  const task = await readTask(store, runId, taskId);
  const members = [];
  // One at a time: each may hold a large conversation.
  for (const result of results)
    members.push(
      result.reward === null
        ? { reward: null, steps: [] }
        : advantageMember(await readTrial(store, runId, task, result)),
    );
  const { advantages, ...judged } = judgeGroup(config, { groupId: groupId(key), members });
  return {
    schemaVersion: 1,
    groupId: groupId(key),
    taskId,
    index,
    size: results.length,
    estimator: config.estimator,
    policy: config.groupPolicy,
    ...judged,
    members: results.map(({ sample, attempt, reward, stopReason, turns, policyVersion }, i) => ({
      sample,
      rolloutId: rolloutId({ runId, taskId, sample }),
      attempt,
      reward,
      stopReason,
      turns,
      advantages: advantages?.[i]?.map((step) => (typeof step === 'number' ? step : [...step])) ?? null,
      policyVersion,
    })),
    policyVersions: [...new Set(results.flatMap(({ policyVersion }) => policyVersion ?? []))],
    closedAt: now(),
  };
}

function digestOf({ valid, members }: GroupRecord): GroupDigest {
  return { valid, dead: members.every(({ reward }) => reward === null) };
}
