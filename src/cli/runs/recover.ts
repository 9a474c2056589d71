import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { type CommonOptions, withCommonOptions } from '../common-options.js';

/** `longrun runs recover`. */
export function recoverCommand(io: CliIo): Command {
  const command = new Command('recover')
    .description(
      'Start the workflows of a run anew from what its store holds: after a lost database, an upgrade, a terminated workflow.',
    )
    .argument('<run>', 'Id of the run')
    .action((runId: string, options: CommonOptions) => recover(runId, options, io));
  return withCommonOptions(command, 'longrun runs recover tblite-20260412-1503-k3f9');
}

async function recover(runId: string, options: CommonOptions, io: CliIo): Promise<void> {
  const { commandContext } = await import('../command-context.js');
  const { printJson } = await import('../print.js');
  const { recoverRun } = await import('../../launch/resume-run.js');
  const context = await commandContext(options, io);
  const { incarnation, worked } = await recoverRun({ stateDir: context.stateDir, env: io.env }, runId);
  if (context.json) return printJson(io, { run_id: runId, incarnation });
  context.say(`Run ${runId} was started anew (incarnation ${incarnation}); nothing finished is repeated.`);
  if (!worked) context.say(`No worker is running. Work on it with:\n  longrun runs resume ${runId}`);
}
