import { LongrunError } from '../../core/errors.js';
import type { ReplayRef, RolloutKey } from '../../core/ids.js';
import { keys } from '../../store/keys.js';
import { putRecordIfAbsent, readChildren } from '../../store/records/records.js';
import { attemptRecordSchema } from '../../store/records/records.schema.js';
import {
  type ForkOrigin,
  type Provenance,
  type ReplayRecord,
  replayClaimSchema,
} from '../../store/records/replay.schema.js';
import { readForkOrigin, readReplay } from '../../store/replays.js';
import type { ArtifactStore } from '../../store/store.js';

/** The numbers of the attempts that a replay has made for one of its members, oldest first. */
export async function claimedAttempts(
  store: ArtifactStore,
  rollout: RolloutKey,
  { replayId, nth }: ReplayRef,
): Promise<number[]> {
  const claims = await readChildren(store, replayClaimSchema, keys.attempts(rollout), 'replay.json');
  const own = claims.filter(({ value }) => value.replayId === replayId && value.nth === nth);
  return own.map(({ name }) => Number(name)).sort((a, b) => a - b);
}

/**
 * The attempt that a replay works on for one of its members: the first of its own without an end,
 * else the next free number of the rollout. Attempts are appended, whoever else appends meanwhile.
 */
export async function claimAttempt(
  store: ArtifactStore,
  rollout: RolloutKey,
  replay: ReplayRef,
): Promise<number> {
  const [claimed, ended] = await Promise.all([
    claimedAttempts(store, rollout, replay),
    readChildren(store, attemptRecordSchema, keys.attempts(rollout), 'attempt.json'),
  ]);
  const closed = new Set(ended.map(({ value }) => value.attempt));
  const open = claimed.find((attempt) => !closed.has(attempt));
  if (open !== undefined) return open;
  const record = await readReplay(store, rollout.runId, replay.replayId);
  const provenance = provenanceIn(record, await readForkOrigin(store, rollout), rollout, replay);
  for (;;) {
    const attempt = Math.max(0, ...(await store.children(keys.attempts(rollout))).map(Number)) + 1;
    const claim = { schemaVersion: 1 as const, ...provenance };
    const key = keys.replayClaim({ ...rollout, attempt });
    if ((await putRecordIfAbsent(store, replayClaimSchema, key, claim)).won) return attempt;
  }
}

function provenanceIn(
  record: ReplayRecord,
  origin: ForkOrigin | null,
  rollout: RolloutKey,
  { replayId, nth }: ReplayRef,
): Provenance {
  const { runId, taskId, sample } = rollout;
  const member = record.members.find(
    (candidate) => candidate.taskId === taskId && candidate.sample === sample && candidate.nth === nth,
  );
  if (!member) throw new LongrunError('not_found', `replay ${replayId} has no member ${taskId}/${sample}`);
  const { mode } = record.request;
  // The start of a forked rollout is the turn that it was forked at.
  if (mode === 'rerun' && origin !== null)
    return { replayId, mode, nth, source: origin.source, fromTurn: origin.fromTurn };
  const source = { runId, taskId, sample, attempt: member.sourceAttempt };
  return { replayId, mode, nth, source, fromTurn: member.fromTurn };
}
