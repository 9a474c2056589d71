import type { Settings } from '../../config/settings.schema.js';
import { LongrunError } from '../../core/errors.js';
import type { LaunchOutcome } from '../../launch/launch-run.js';
import { TrajectorySaver } from '../../launch/save-trajectories.js';
import type { UploadReport } from '../../sinks/upload/index.js';
import { openStore } from '../../store/index.js';
import type { RolloutResult, RunRecord } from '../../store/records/records.schema.js';
import { completeRecording, type RecordingCounts } from '../../trajectories/recording/complete-recording.js';
import { EXIT } from '../cli-io.js';
import type { CommandContext } from '../command-context.js';

/** What a command does with rollouts and results besides showing them. */
export interface AfterRun {
  /** Of each rollout as it ends. */
  finished(results: readonly RolloutResult[]): void;
  /** Of the run, after its results were shown. Never rejects: what failed is said, and is the exit code. */
  ended(outcome: LaunchOutcome): Promise<void>;
}

export interface AfterRunOptions {
  context: CommandContext;
  settings: Settings;
  run: RunRecord;
  /** Folder that has to be complete; null = the recorder's own, which is its own affair. */
  recordTo: string | null;
  uploadKey: string | null;
  /** Fires on Ctrl-C. */
  signal: AbortSignal;
}

export function afterRun({ context, settings, run, recordTo, uploadKey, signal }: AfterRunOptions): AfterRun {
  const { stateDir, io, say } = context;
  const saver = settings.saveTrajectories
    ? new TrajectorySaver({
        runId: run.runId,
        folder: process.cwd(),
        file: settings.trajectoryFile,
        openStore: () => openStore(stateDir, io.env),
        onWarning: say,
      })
    : null;
  return {
    finished: (results) => saver?.add(results),
    ended: async (outcome) => {
      // Of an earlier process's rollouts nobody was told: all are offered, the saved ones are known by their rows.
      if (outcome.kind === 'ended') saver?.add(outcome.document.rollouts);
      if (saver !== null) await endSaving(saver, context);
      if (outcome.kind !== 'ended') return;
      const { store, end } = outcome;
      if (recordTo !== null)
        await attempt(context, 'The turns could not be recorded', async () => {
          say(recordedLine(await completeRecording(store, run, recordTo), run, recordTo));
        });
      if (settings.trajectory.autoUpload && (end === 'finished' || end === 'cancelled'))
        await attempt(context, 'The trajectories could not be uploaded', async () => {
          const { uploadRecorded } = await import('../../launch/upload-recorded.js');
          const sent = await uploadRecorded({ store, stateDir, run, apiKey: uploadKey, env: io.env, signal });
          say(uploadedLine(sent));
        });
    },
  };
}

async function endSaving(saver: TrajectorySaver, context: CommandContext): Promise<void> {
  await saver.settle();
  for (const [path, rows] of saver.written)
    context.say(`${rows} ${rows === 1 ? 'trajectory was' : 'trajectories were'} appended to ${path}`);
  if (saver.failure !== null) failed(context, 'Trajectories could not be saved', saver.failure);
}

function recordedLine(counts: RecordingCounts, { config }: RunRecord, folder: string): string {
  const { written, rollouts, too_short: short, without_tool_calls: idle } = counts;
  const left = [
    short === 0 ? [] : `${short} of fewer than ${config.trajectory.minTurnCount} turns`,
    idle === 0 ? [] : `${idle} without tool calls`,
  ].flat();
  const leftOut = left.length === 0 ? '' : `; left out: ${left.join(', ')}`;
  return `${written} of ${rollouts} rollouts are recorded in ${folder}${leftOut}.`;
}

function uploadedLine({ rows, stored, already, parked, parkedEarlier }: UploadReport): string {
  const refused = parked + parkedEarlier;
  const notes = [
    already === 0 ? [] : `${already} had been before`,
    refused === 0 ? [] : `${refused} were refused`,
  ].flat();
  return `${stored} of ${rows} trajectories were uploaded${notes.length === 0 ? '' : `; ${notes.join(', ')}`}.`;
}

async function attempt(context: CommandContext, trouble: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    failed(context, trouble, error);
  }
}

function failed({ io, say }: CommandContext, trouble: string, error: unknown): void {
  const hint = LongrunError.is(error) && error.hint ? ` ${error.hint}` : '';
  say(`${trouble}: ${(error as Error).message}.${hint}`);
  if (io.exitCode === EXIT.done) io.exitCode = EXIT.error;
}
