import { LongrunError } from '../core/errors.js';
import type { RolloutKey } from '../core/ids.js';
import type { RunConfig } from '../core/run/run-config.schema.js';
import { readClosedRun } from '../records/write-summary.js';
import { keys } from '../store/keys.js';
import { putRecordIfAbsent } from '../store/records/records.js';
import { type RunRecord, rolloutResultSchema } from '../store/records/records.schema.js';
import { type ReplayRecord, type ReplayRequest, replayRecordSchema } from '../store/records/replay.schema.js';
import { listReplays } from '../store/replays.js';
import type { ArtifactStore } from '../store/store.js';
import { cancelledUnstarted } from './cancelled-unstarted.js';
import { checkRequest } from './check-request.js';
import { readCandidates } from './read-candidates.js';
import { type LeftOut, type Selection, selectMembers } from './select-members.js';

/** Ids and who asks, given so that tests own them. */
export interface ReplayIdentity {
  replayId: string;
  by: string;
  now: number;
}

/** Which new attempts a request comes to; changes nothing. Throws `bad_input` and `not_found`. */
export async function planReplay(
  store: ArtifactStore,
  run: RunRecord,
  request: ReplayRequest,
): Promise<Selection> {
  checkRequest(request);
  const selection = selectMembers(request, await readCandidates(store, run, request));
  if (selection.members.length === 0) throw nothingLeft(run.runId, selection.leftOut);
  return selection;
}

/** The open replay that an earlier, unfinished command of the same words has left; null = none. */
export async function findOpenReplay(
  store: ArtifactStore,
  runId: string,
  request: ReplayRequest,
): Promise<ReplayRecord | null> {
  const words = JSON.stringify(request);
  for (const { record, closed } of await listReplays(store, runId)) {
    if (closed !== null || JSON.stringify(record.request) !== words) continue;
    // A fork ends with the run that it made.
    if (record.forkRunId === null || (await readClosedRun(store, record.forkRunId)) === null) return record;
  }
  return null;
}

/** Puts a replay into the store: from then on it is carried on until it is closed. */
export async function createReplay(
  store: ArtifactStore,
  run: RunRecord,
  request: ReplayRequest,
  { members }: Selection,
  { replayId, by, now }: ReplayIdentity,
): Promise<ReplayRecord> {
  const { runId } = run;
  for (const { taskId, sample, sourceAttempt } of members)
    if (sourceAttempt === 0) await sealUnstarted(store, { runId, taskId, sample }, run.config, now);
  const record = {
    schemaVersion: 1 as const,
    replayId,
    runId,
    request,
    forkRunId: request.mode === 'fork' ? `${runId}-${replayId}` : null,
    members,
    createdBy: by,
    createdAt: now,
  };
  const { value } = await putRecordIfAbsent(store, replayRecordSchema, keys.replay(runId, replayId), record);
  return value;
}

/** A rollout that its run was cancelled before is sealed as what it is, so that a replay can take its place. */
async function sealUnstarted(
  store: ArtifactStore,
  key: RolloutKey,
  config: RunConfig,
  now: number,
): Promise<void> {
  const result = cancelledUnstarted(key, config, now);
  await putRecordIfAbsent(store, rolloutResultSchema, keys.result(key), result);
}

function nothingLeft(runId: string, leftOut: readonly LeftOut[]): LongrunError {
  const [first] = leftOut;
  const more = leftOut.length > 1 ? ` (and ${leftOut.length - 1} more)` : '';
  return new LongrunError('not_found', `No rollout of run ${runId} is to be replayed.`, {
    exitCode: 2,
    hint: first
      ? `${first.taskId}/${first.sample}: ${first.reason}${more}`
      : `Nothing matches the selection; longrun runs show ${runId} lists the rollouts.`,
    details: { runId, leftOut },
  });
}
