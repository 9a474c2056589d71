import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Recording } from '../../core/run/recording.schema.js';
import { recordingFields } from '../../core/run/recording.schema.js';
import { traceFile } from '../../formats/atropos-v1/atropos-v1-format.js';
import { ATROPOS_VERSION } from '../../formats/atropos-v1/turn-trace.schema.js';
import { sessionIdOf } from '../../formats/episode.js';
import { readEpisode } from '../../records/episodes-of-run.js';
import { mapBounded } from '../../store/map-bounded.js';
import type { RolloutResult, RunRecord } from '../../store/records/records.schema.js';
import { plannedRollouts, readPlan, readResult } from '../../store/runs.js';
import type { ArtifactStore } from '../../store/store.js';
import { toSnakeCase } from '../../store/wire/wire-names.js';
import { placeFile, type SessionOutcome, writeSession } from './session-file.js';
import { withinLimit } from './within-limit.js';

/** How many rollouts of a run were recorded, and why others were not. */
export type RecordingCounts = Record<SessionOutcome | 'rollouts', number>;

/** Rollouts that are read again at once: each may be a few megabytes. */
const AT_ONCE = 4;

export const manifestFile = (runId: string): string => `manifest_${runId}.json`;

/**
 * Writes the sessions of a run that the folder lacks, and its manifest; the same whenever it is done.
 * A rollout whose worker died, or lives on another host, has its file from here, as has one that a replay
 * has given another outcome.
 */
export async function completeRecording(
  store: ArtifactStore,
  run: RunRecord,
  folder: string,
): Promise<RecordingCounts> {
  const present = new Set(await namesIn(folder));
  const counts: RecordingCounts = { rollouts: 0, written: 0, too_short: 0, without_tool_calls: 0 };
  const recording = run.config.trajectory;
  const complete = async (result: RolloutResult | null): Promise<SessionOutcome | null> =>
    result === null ? null : outcomeOf(store, run, result, folder, present);
  const rollouts = plannedRollouts(run.runId, await readPlan(store, run.runId));
  const work = mapBounded(rollouts, async (key) => complete(await readResult(store, key)), AT_ONCE);
  for await (const { result: outcome } of work) {
    if (outcome === null) continue;
    counts.rollouts += 1;
    counts[outcome] += 1;
  }
  await placeFile(join(folder, manifestFile(run.runId)), manifestText(run, recording, counts));
  return counts;
}

async function outcomeOf(
  store: ArtifactStore,
  run: RunRecord,
  result: RolloutResult,
  folder: string,
  present: ReadonlySet<string>,
): Promise<SessionOutcome> {
  const recording = run.config.trajectory;
  if (result.turns < recording.minTurnCount) return 'too_short';
  const session = sessionIdOf({ runId: run.runId, taskId: result.taskId, sample: result.sample });
  if (result.replay === null && present.has(traceFile(session))) return 'written';
  return writeSession(folder, await readEpisode(store, run, result), recording);
}

async function namesIn(folder: string): Promise<string[]> {
  return withinLimit(readdir(folder), folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return [];
    throw cause;
  });
}

/** Without times and paths: the same run gives the same manifest. */
function manifestText(run: RunRecord, recording: Recording, counts: RecordingCounts): string {
  const names = Object.keys(recordingFields) as (keyof Recording)[];
  const configuration = names
    .filter((name) => name !== 'outputDir')
    .map((name) => [toSnakeCase(name), recording[name]]);
  const manifest = {
    format_version: ATROPOS_VERSION,
    run_id: run.runId,
    mode: run.mode,
    environment: run.environment.name,
    model: run.config.model,
    longrun_version: run.longrunVersion,
    configuration: Object.fromEntries(configuration),
    counts,
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
