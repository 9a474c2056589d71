import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { badInput } from '../core/errors.js';
import type { Episode } from '../core/trajectory/episode.schema.js';
import { traceFile } from '../formats/atropos-v1/atropos-v1-format.js';
import { sessionIdOf } from '../formats/episode.js';
import { type UploadReport, uploadEpisodes, uploadLedgerFile } from '../sinks/upload/index.js';
import type { RunRecord } from '../store/records/records.schema.js';
import { plannedRollouts, readPlan } from '../store/runs.js';
import type { ArtifactStore } from '../store/store.js';
import { readEpisodes } from '../trajectories/files/read-file.js';
import { completeRecording } from '../trajectories/recording/complete-recording.js';
import { recordingFolder } from '../trajectories/recording/trajectory-recorder.js';

export interface UploadRecordedOptions {
  store: ArtifactStore;
  stateDir: string;
  run: RunRecord;
  apiKey: string | null;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
}

/**
 * Uploads what the recorder wrote of a run, and no more: what it was told to leave out stays here.
 * Errors: those of the store and of `uploadEpisodes`.
 */
export async function uploadRecorded(options: UploadRecordedOptions): Promise<UploadReport> {
  const { store, stateDir, run, apiKey, env, signal } = options;
  const endpoint = run.config.trajectory.uploadEndpoint;
  if (endpoint === null) throw badInput('trajectory.upload_endpoint is not set.');
  const folder = recordingFolder(stateDir, run);
  await completeRecording(store, run, folder);
  const ledgerFile = uploadLedgerFile(stateDir, endpoint);
  return uploadEpisodes({
    episodes: recorded(store, run, folder),
    endpoint,
    apiKey,
    ledgerFile,
    env,
    signal,
  });
}

async function* recorded(store: ArtifactStore, run: RunRecord, folder: string): AsyncGenerator<Episode> {
  const present = new Set(await readdir(folder));
  for (const rollout of plannedRollouts(run.runId, await readPlan(store, run.runId))) {
    const name = traceFile(sessionIdOf(rollout));
    if (!present.has(name)) continue;
    const reject = async ({ line, reason }: { line: number; reason: string }) => {
      throw badInput(
        `${join(folder, name)}:${line}: ${reason}`,
        'The file was changed since it was recorded.',
      );
    };
    // Where the file lies is nobody else's business.
    for await (const episode of readEpisodes(join(folder, name), { format: 'atropos-v1', reject }))
      yield { ...episode, imported: null };
  }
}
