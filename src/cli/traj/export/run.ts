import { parseRewardOrder } from '../../../core/reward/reward-order.js';
import { readRun } from '../../../store/runs.js';
import { exportEpisodes } from '../../../trajectories/export.js';
import type { EpisodeInputs } from '../../../trajectories/files/inputs.js';
import { openOutput, type RowOutput } from '../../../trajectories/files/output.js';
import type { Rejection } from '../../../trajectories/files/rejection.js';
import { type CliIo, EXIT } from '../../cli-io.js';
import { commandContext } from '../../command-context.js';
import { printJson, printLines } from '../../print.js';
import { commandInputs } from '../traj-inputs.js';
import { inputNames } from '../traj-options.js';
import { untilInterrupted } from '../until-interrupted.js';
import type { ExportFlags } from './plan.js';
import { exportPlan } from './plan.js';
import { type ExportDone, exportDocument, nothingCame, renderExport } from './render.js';

/** Warnings about single rows that a person is shown; the rest are counted. */
const WARNINGS_SHOWN = 5;

/** `longrun traj export`: writes, and says what came of it. */
export async function exportLine(
  positionals: readonly string[],
  flags: ExportFlags,
  io: CliIo,
): Promise<void> {
  const context = await commandContext(flags, io);
  const names = inputNames(positionals, flags);
  const rewardOrder = parseRewardOrder(flags.rewardOrder);
  let output: RowOutput | null = null;
  const reject = async (rejection: Rejection): Promise<void> => output?.reject(rejection);
  const opened = await commandInputs(context, names, { strict: flags.strict === true, reject });
  const { inputs, progress, rejected, done } = opened;
  const plan = await exportPlan(flags, await isProcessRun(inputs));
  output = await openOutput(plan.path, plan.output);
  try {
    let warned = 0;
    const onWarning = (message: string): void => {
      warned += 1;
      if (warned <= WARNINGS_SHOWN) progress.say(message);
    };
    const { format, options } = plan;
    const counts = await untilInterrupted((check) => {
      const step = (what: string) => (): void => {
        check();
        progress.step(what);
      };
      const [onSurveyed, onEpisode] = [step('trajectories looked through'), step('trajectories written')];
      const told = { onSurveyed, onEpisode, onWarning };
      return exportEpisodes(inputs, format, output as RowOutput, { format: options, rewardOrder, ...told });
    });
    // An empty file would only be in the way of the next try; lines that were set aside are kept.
    const empty = rejected() === 0 && nothingCame({ counts, broken: 0 });
    const files = empty ? [] : await output.commit();
    done();
    if (warned > WARNINGS_SHOWN) context.say(`… and ${warned - WARNINGS_SHOWN} more warnings`);
    const result: ExportDone = { format: flags.format, counts, files, broken: rejected() };
    if (context.json) printJson(io, exportDocument(result));
    else printLines(io, renderExport(result));
    if (nothingCame(result)) io.exitCode = EXIT.error;
  } finally {
    await output.abandon();
  }
}

async function isProcessRun({ sources }: EpisodeInputs): Promise<boolean> {
  const [first] = sources;
  return first?.kind === 'run' && (await readRun(first.store, first.runId)).mode === 'process';
}
