import { resolve } from 'node:path';
import type { FlagValues } from '../../config/merge-settings.js';
import type { ProcessSettingName, ProcessSettings } from '../../config/process-settings.schema.js';
import { processSettingTable } from '../../config/setting-table.js';
import { badInput, LongrunError } from '../../core/errors.js';
import { type AttendOptions, launchProcess } from '../../launch/launch-run.js';
import { makeOutputFolder } from '../../runs/output-folder.js';
import { openStore } from '../../store/index.js';
import type { Plan, RunRecord } from '../../store/records/records.schema.js';
import { isPrompts } from '../../tasks/prompts/prompts-environment.js';
import { checkFolder } from '../../trajectories/process/growing-output.js';
import {
  ledgerOptions,
  type OutputOptions,
  ProcessOutput,
} from '../../trajectories/process/process-output.js';
import { commandWith } from '../carry-on.js';
import { type CliIo, EXIT } from '../cli-io.js';
import { type CommandContext, processContext } from '../command-context.js';
import { lockOutput } from '../output-lock.js';
import { packageVersion } from '../package-version.js';
import { RunReporter } from '../run-reporter.js';
import { gitCommit } from './git-commit.js';
import type { ProcessFlags } from './options.js';
import { batchSizeOf, processOptions, processWords } from './options.js';

/** Runs groups of rollouts as the settings say, shows the run, and writes its output folder meanwhile. */
export async function processRun(
  flags: FlagValues<ProcessSettingName>,
  own: ProcessFlags,
  io: CliIo,
): Promise<void> {
  const { settings: merged, ...context } = await processContext(withSize(flags), io);
  const settings = settled(merged);
  const batchSize = batchSizeOf(own, isPrompts(settings.environment ?? ''));
  const chosen = { ...processOptions(own), batchSize };
  await checkOutput(settings, own, chosen);
  const revision = { longrunVersion: packageVersion(), gitCommit: await gitCommit() };
  const folderOf = (runId: string): string => resolve(own.output ?? runId);
  const reporter = new RunReporter(context, {
    failUnder: null,
    output: null,
    runId: settings.runId,
    carryOn: (runId) =>
      commandWith('process', processSettingTable(), { ...flags, runId }, processWords(own, folderOf(runId))),
  });
  let writer: Promise<ProcessOutput> | null = null;
  let lock: ReturnType<typeof lockOutput> | null = null;
  try {
    await reporter.attend((hooks) =>
      launchProcess({
        ...hooks,
        ...alsoWriting(hooks, context, () => writer),
        settings,
        stateDir: context.stateDir,
        env: io.env,
        longrunVersion: revision.longrunVersion,
        onReady: ({ run, plan, created }) => {
          if (!created) context.say(`Run ${run.runId} is there already: carrying it on.`);
          else if (!settings.detach) context.say(announcement(run, plan));
          if (settings.detach) return;
          const options: OutputOptions = { ...chosen, folder: folderOf(run.runId), revision };
          writer = openStore(context.stateDir, io.env).then((store) => {
            lock = lockOutput(context.stateDir, options.folder);
            return ProcessOutput.open(store, run, plan, options);
          });
          // Whoever awaits it comes later.
          writer.catch(() => undefined);
          context.say(`Output: ${options.folder}`);
          reporter.open(run);
        },
      }),
    );
  } finally {
    release(lock);
  }
}

/** Set by a callback, which the compiler does not follow. */
function release(lock: ReturnType<typeof lockOutput> | null): void {
  lock?.release();
}

/** Prompts that nothing scores are not compared with each other. */
function withSize(flags: FlagValues<ProcessSettingName>): FlagValues<ProcessSettingName> {
  const alone = isPrompts(String(flags.environment ?? '')) && flags.groupSize === undefined;
  return alone ? { ...flags, groupSize: '1' } : flags;
}

function settled(settings: ProcessSettings): ProcessSettings {
  // Harbor's job layout, which is of evaluations.
  const own = { ...settings, output: null };
  // Groups of prompts have no scored member; that says nothing about the run.
  return isPrompts(settings.environment ?? '') ? { ...own, deadGroups: null } : own;
}

/** What would keep rows from being written is refused before anything is paid for. */
async function checkOutput(
  { runId, detach }: ProcessSettings,
  own: ProcessFlags,
  chosen: Omit<OutputOptions, 'folder' | 'revision'>,
): Promise<void> {
  const folder = own.output ?? runId;
  if (detach && own.output !== undefined)
    throw badInput(
      '--output would do nothing under --detach: the command ends before there are groups.',
      'Leave out --detach, or give --output when you run the command again with the same --run-id.',
    );
  if (detach || folder === null) return;
  await makeOutputFolder(own.output ?? null);
  if (!chosen.force) await checkFolder(folder, { options: ledgerOptions(chosen) }, runId);
}

type Writer = () => Promise<ProcessOutput> | null;

/** Groups are written while the run goes; results are shown first, and then what was written. */
function alsoWriting(
  hooks: AttendOptions,
  context: CommandContext,
  writer: Writer,
): Pick<AttendOptions, 'onUpdate' | 'onEnd'> {
  return {
    onUpdate: (view, finished) => {
      hooks.onUpdate(view, finished);
      void writer()?.then(
        (output) => output.pull(),
        () => undefined,
      );
    },
    onEnd: async (outcome) => {
      await hooks.onEnd(outcome);
      const over = outcome.kind === 'ended' && (outcome.end === 'finished' || outcome.end === 'cancelled');
      await endWriting(context, writer(), over);
    },
  };
}

async function endWriting(
  context: CommandContext,
  opening: Promise<ProcessOutput> | null,
  over: boolean,
): Promise<void> {
  if (opening === null) return;
  try {
    const output = await opening;
    await output.settle(over);
    if (output.failure !== null) throw output.failure;
    const { groups, planned } = output.counts;
    context.say(`${groups} of ${planned} groups are in ${output.folder}`);
    for (const line of await output.summary()) context.say(line);
  } catch (error) {
    const hint = LongrunError.is(error) && error.hint ? ` ${error.hint}` : '';
    context.say(`The output could not be written: ${(error as Error).message}.${hint}`);
    if (context.io.exitCode === EXIT.done) context.io.exitCode = EXIT.error;
  }
}

function announcement({ runId, config }: RunRecord, plan: Plan): string {
  const size = config.groupSize ?? 1;
  const groups = plan.tasks.reduce((sum, { samples }) => sum + samples, 0) / size;
  const of = plan.tasks.length === 1 ? '1 task' : `${plan.tasks.length} tasks`;
  return `Run ${runId}: ${groups} groups of ${size} from ${of}, ${config.sandbox} sandboxes, at most ${config.concurrency} at once.`;
}
