import { join } from 'node:path';
import type { Logger } from 'pino';
import { type Kept, KeptPerScope } from '../../core/held/kept.js';
import type { Trajectory } from '../../core/trajectory/trajectory.schema.js';
import { episodeFromRecords } from '../../formats/episode.js';
import type { TrialRecords } from '../../formats/harbor-job/trial-records.js';
import type { RunRecord } from '../../store/records/records.schema.js';
import { readRun } from '../../store/runs.js';
import type { ArtifactStore } from '../../store/store.js';
import { completeRecording } from './complete-recording.js';
import { writeSession } from './session-file.js';
import { RecordingStalled } from './within-limit.js';

/** Watches rollouts and writes down their turns. It never fails: what goes wrong is a warning. */
export interface TrajectoryRecorder {
  /** Of a rollout that is about to be sealed. */
  rolloutEnded(run: RunRecord, trial: TrialRecords, trajectory: Trajectory): Promise<void>;
  /** Of a run, or a replay in it, that is over: what is missing is written, and the manifest. */
  runEnded(runId: string): Promise<void>;
}

export interface RecorderParts {
  store: ArtifactStore;
  stateDir: string;
  logger: Logger;
}

/** Where a run's sessions are written. */
export function recordingFolder(stateDir: string, run: RunRecord): string {
  return run.config.trajectory.outputDir ?? join(stateDir, 'trajectories');
}

export function createTrajectoryRecorder({
  store,
  stateDir,
  logger,
}: RecorderParts): TrajectoryRecorder & { readonly kept: Kept } {
  const troubles = new KeptPerScope<{ stalled: boolean }>();
  const observe = async (runId: string, work: () => Promise<unknown>): Promise<void> => {
    // One wait is enough: the rollouts after it are not held up by a folder that does not answer.
    if (troubles.get(runId)?.stalled) return;
    try {
      await work();
    } catch (err) {
      // A folder that cannot be written to fails each rollout alike: that is said once.
      const level = troubles.get(runId) === undefined ? 'warn' : 'debug';
      troubles.set(runId, { stalled: err instanceof RecordingStalled });
      logger[level]({ err, runId }, 'turns could not be recorded; the rollouts themselves are not affected');
    }
  };
  return {
    kept: troubles,
    rolloutEnded: (run, trial, trajectory) =>
      observe(run.runId, async () => {
        const { trajectory: recording } = run.config;
        if (!recording.enabled || trial.result.turns < recording.minTurnCount) return;
        const episode = episodeFromRecords(run, trial, trajectory);
        await writeSession(recordingFolder(stateDir, run), episode, recording);
      }),
    runEnded: (runId) =>
      observe(runId, async () => {
        const run = await readRun(store, runId);
        if (run.config.trajectory.enabled)
          await completeRecording(store, run, recordingFolder(stateDir, run));
      }),
  };
}
