import type { FlagValues } from '../../config/merge-settings.js';
import type { Settings } from '../../config/settings.schema.js';
import { readUploadKey } from '../../config/upload-key.js';
import { badInput } from '../../core/errors.js';
import type { AttendOptions } from '../../launch/launch-run.js';
import { launchRun } from '../../launch/launch-run.js';
import { makeOutputFolder } from '../../runs/output-folder.js';
import type { Plan, RunRecord } from '../../store/records/records.schema.js';
import { carryOnCommand } from '../carry-on.js';
import type { CliIo } from '../cli-io.js';
import { type CommandContext, settingsContext } from '../command-context.js';
import { packageVersion } from '../package-version.js';
import { RunReporter } from '../run-reporter.js';
import { type AfterRun, afterRun } from './after-run.js';

export interface EvaluateCall {
  /** As the person typed it, for the command that carries on. */
  command: 'evaluate' | 'bench run';
  flags: FlagValues;
  /** Folder that the recorder writes to instead of its own, and that is complete at the end; null = none. */
  recordTo: string | null;
}

/** Runs a benchmark as the settings say, shows it, and does with the results what was asked for. */
export async function evaluateRun({ command, flags, recordTo }: EvaluateCall, io: CliIo): Promise<void> {
  const { settings: merged, ...context } = await settingsContext(flags, io);
  const settings = withRecordTo(merged, recordTo);
  await makeOutputFolder(recordTo);
  if (settings.detach) leaveUndone(settings, flags, context);
  const uploadKey = await uploadKeyOf(settings, io.env);
  const { failUnder, output, runId } = settings;
  const judged = failUnder !== null || output !== null || settings.saveTrajectories || recordTo !== null;
  const given = recordTo === null ? flags : { ...flags, output: recordTo };
  const reporter = new RunReporter(context, {
    failUnder,
    output,
    runId,
    ...(judged ? { carryOn: (id) => carryOnCommand(given, id, command) } : {}),
  });
  let after: AfterRun | null = null;
  await reporter.attend((hooks) =>
    launchRun({
      ...hooks,
      ...alsoAfterwards(hooks, () => after),
      settings,
      stateDir: context.stateDir,
      env: io.env,
      longrunVersion: packageVersion(),
      onReady: ({ run, plan, created }) => {
        if (!created) context.say(`Run ${run.runId} is there already: carrying it on.`);
        else if (!settings.detach) context.say(announcement(run, plan));
        if (settings.detach) return;
        after = afterRun({ context, settings, run, recordTo, uploadKey, signal: hooks.signal });
        reporter.open(run);
      },
    }),
  );
}

function withRecordTo(settings: Settings, recordTo: string | null): Settings {
  if (recordTo === null) return settings;
  return { ...settings, trajectory: { ...settings.trajectory, enabled: true, outputDir: recordTo } };
}

/** What would keep the upload from being made is refused before anything is paid for. */
async function uploadKeyOf({ trajectory }: Settings, env: NodeJS.ProcessEnv): Promise<string | null> {
  if (!trajectory.autoUpload || trajectory.uploadEndpoint === null) return null;
  const { checkEndpoint } = await import('../../sinks/upload/index.js');
  checkEndpoint(trajectory.uploadEndpoint, false);
  return await readUploadKey(trajectory.uploadApiKey, env);
}

/** Results are shown first; what is done with them comes after. */
function alsoAfterwards(
  hooks: AttendOptions,
  after: () => AfterRun | null,
): Pick<AttendOptions, 'onUpdate' | 'onEnd'> {
  return {
    onUpdate: (view, finished) => {
      hooks.onUpdate(view, finished);
      after()?.finished(finished);
    },
    onEnd: async (outcome) => {
      await hooks.onEnd(outcome);
      await after()?.ended(outcome);
    },
  };
}

/** What is done with the results is done by the command that awaits them. */
function leaveUndone(settings: Settings, flags: FlagValues, { say }: CommandContext): void {
  refuseUnattended(flags);
  if (settings.failUnder !== null || settings.output !== null)
    say('Under --detach the settings output and fail_under do nothing.');
  if (settings.saveTrajectories)
    say('Under --detach --save-trajectories does nothing: longrun traj export writes the rows afterwards.');
  if (settings.trajectory.autoUpload)
    say('Under --detach trajectory.auto_upload does nothing: longrun traj upload does it afterwards.');
}

function refuseUnattended(flags: FlagValues): void {
  const given = [
    flags.output === undefined ? [] : '--output',
    flags.failUnder === undefined ? [] : '--fail-under',
  ];
  const names = given.flat().join(' and ');
  if (names === '') return;
  throw badInput(
    `${names} would do nothing under --detach: the command ends before there are results.`,
    `Leave out --detach, or give ${names} when you run the command again with the same --run-id.`,
  );
}

function announcement({ runId, config }: RunRecord, plan: Plan): string {
  const tasks = plan.tasks.length === 1 ? '1 task' : `${plan.tasks.length} tasks`;
  const samples = config.samples === 1 ? '' : ` × ${config.samples} samples`;
  return `Run ${runId}: ${tasks}${samples}, ${config.sandbox} sandboxes, at most ${config.concurrency} at once.`;
}
