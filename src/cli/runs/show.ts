import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import type { CommandContext } from '../command-context.js';
import { type CommonOptions, withCommonOptions } from '../common-options.js';

/** `longrun runs show`. */
export function showCommand(io: CliIo): Command {
  const command = new Command('show')
    .description('Scores, failures, cost and rollouts of a run, recomputed from its rollouts.')
    .argument('<run>', 'Id of the run')
    .action((runId: string, options: CommonOptions) => show(runId, options, io));
  return withCommonOptions(command, 'longrun runs show tblite-20260412-1503-k3f9 --json');
}

async function show(runId: string, options: CommonOptions, io: CliIo): Promise<void> {
  const { commandContext } = await import('../command-context.js');
  await printRun(await commandContext(options, io), runId);
}

/** The report of a run, as the store and the cluster tell it now. */
export async function printRun({ io, json, stateDir }: CommandContext, runId: string): Promise<void> {
  const { printJson, printLines } = await import('../print.js');
  const { readRunDocument } = await import('../../runs/status/run-rows.js');
  const { runDocumentSchema } = await import('../../records/document.js');
  const { renderScoreboard } = await import('../../report/scoreboard.js');
  const { toWire } = await import('../../store/wire/wire.js');
  const { lookOf } = await import('../look.js');
  const document = await readRunDocument({ stateDir, env: io.env }, runId);
  if (json) return printJson(io, toWire(runDocumentSchema, document));
  printLines(io, renderScoreboard(document, lookOf(io)));
}
