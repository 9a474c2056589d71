import { LongrunError } from '../core/errors.js';
import type { AttemptKey, ReplayRef, RolloutKey } from '../core/ids.js';
import { append } from '../core/lists/append.js';
import { keys } from './keys.js';
import { mapBounded } from './map-bounded.js';
import { putRecordIfAbsent, readChildren, readRecord } from './records/records.js';
import { type RolloutResult, rolloutResultSchema } from './records/records.schema.js';
import {
  type ClosedReplay,
  closedReplaySchema,
  type ForkOrigin,
  forkOriginSchema,
  type Provenance,
  type ReplayRecord,
  type Resolution,
  replayClaimSchema,
  replayRecordSchema,
  replayStartSchema,
  resolutionSchema,
} from './records/replay.schema.js';
import { readSealedResult } from './runs.js';
import type { ArtifactStore } from './store.js';

/** Throws `not_found`. */
export async function readReplay(
  store: ArtifactStore,
  runId: string,
  replayId: string,
): Promise<ReplayRecord> {
  const record = await readRecord(store, replayRecordSchema, keys.replay(runId, replayId));
  if (record !== null) return record;
  throw new LongrunError('not_found', `run ${runId} has no replay ${replayId}`);
}

/** The replays of a run, oldest first, with how they ended; null = they are open. */
export async function listReplays(
  store: ArtifactStore,
  runId: string,
): Promise<{ record: ReplayRecord; closed: ClosedReplay | null }[]> {
  const found = await readChildren(store, replayRecordSchema, keys.replays(runId), 'replay.json');
  const replays: { record: ReplayRecord; closed: ClosedReplay | null }[] = [];
  for (const { value: record } of found)
    replays.push({ record, closed: await readClosedReplay(store, runId, record.replayId) });
  return replays.sort((a, b) => a.record.createdAt - b.record.createdAt);
}

export function readClosedReplay(
  store: ArtifactStore,
  runId: string,
  replayId: string,
): Promise<ClosedReplay | null> {
  return readRecord(store, closedReplaySchema, keys.replayClosed(runId, replayId));
}

/** The result of one member of a replay; null while it is open. */
export function readReplayResult(
  store: ArtifactStore,
  rollout: RolloutKey,
  replay: ReplayRef,
): Promise<RolloutResult | null> {
  return readRecord(store, rolloutResultSchema, keys.replayResult(rollout, replay));
}

/** The results of all replays of one rollout. */
export async function readReplayResults(store: ArtifactStore, rollout: RolloutKey): Promise<RolloutResult[]> {
  const found = await readChildren(store, rolloutResultSchema, keys.replayResults(rollout));
  return found.map(({ value }) => value);
}

/** The results of replays that exist in a run, those that count and those beside. */
export async function readRunReplayResults(store: ArtifactStore, runId: string): Promise<RolloutResult[]> {
  const members = new Map<string, RolloutKey>();
  for (const { record } of await listReplays(store, runId)) {
    if (record.forkRunId !== null) continue;
    for (const { taskId, sample } of record.members)
      members.set(`${taskId}/${sample}`, { runId, taskId, sample });
  }
  const results: RolloutResult[] = [];
  for await (const { result } of mapBounded(members.values(), (key) => readReplayResults(store, key)))
    append(results, result);
  return results;
}

/** Where an attempt comes from: the replay that claimed it, or the fork that its rollout is; null = from the start. */
export async function provenanceOf(store: ArtifactStore, key: AttemptKey): Promise<Provenance | null> {
  const [claim, origin] = await Promise.all([
    readRecord(store, replayClaimSchema, keys.replayClaim(key)),
    readForkOrigin(store, key),
  ]);
  return claim ?? origin;
}

export function readForkOrigin(store: ArtifactStore, rollout: RolloutKey): Promise<ForkOrigin | null> {
  return readRecord(store, forkOriginSchema, keys.forkOrigin(rollout));
}

/** Counts the starts of a replay's workflow; the next one, claimed for one caller. */
export async function nextReplayStart(
  store: ArtifactStore,
  runId: string,
  replayId: string,
  now: number,
): Promise<number> {
  const prefix = keys.replayStarts(runId, replayId);
  for (;;) {
    const start = (await store.children(prefix)).length + 1;
    const name = `${prefix}/${String(start).padStart(4, '0')}.json`;
    const record = { schemaVersion: 1 as const, start, startedAt: now };
    if ((await putRecordIfAbsent(store, replayStartSchema, name, record)).won) return start;
  }
}

/** What people decided on a rollout, oldest first. */
export async function readResolutions(store: ArtifactStore, rollout: RolloutKey): Promise<Resolution[]> {
  const found = await readChildren(store, resolutionSchema, keys.resolutions(rollout));
  return found.map(({ value }) => value);
}

/** The result that sealed a rollout together with those of its replays. Null: it is open. */
export async function readAllResults(
  store: ArtifactStore,
  rollout: RolloutKey,
): Promise<{ sealed: RolloutResult; replays: RolloutResult[] } | null> {
  const sealed = await readSealedResult(store, rollout);
  if (sealed === null) return null;
  return { sealed, replays: await readReplayResults(store, rollout) };
}
