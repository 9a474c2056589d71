import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { type CommonOptions, withCommonOptions } from '../common-options.js';

/** `longrun doctor`. */
export function doctorCommand(io: CliIo): Command {
  const command = new Command('doctor')
    .description('Check what longrun needs on this machine, and how to fix what is missing.')
    .action((options: CommonOptions) => doctor(options, io));
  return withCommonOptions(command, 'longrun doctor');
}

async function doctor(options: CommonOptions, io: CliIo): Promise<void> {
  const { commandContext } = await import('../command-context.js');
  const { printJson, printLines } = await import('../print.js');
  const { checkPrerequisites } = await import('../../setup/prerequisites.js');
  const { renderPrerequisites } = await import('./render.js');
  const { EXIT } = await import('../cli-io.js');
  const { lookOf } = await import('../look.js');
  const { json, stateDir } = await commandContext(options, io);
  const reports = await checkPrerequisites({ stateDir, env: io.env });
  const ok = reports.every(({ status }) => status !== 'missing');
  if (!ok) io.exitCode = EXIT.error;
  if (json) printJson(io, { ok, prerequisites: reports });
  else printLines(io, renderPrerequisites(reports, lookOf(io).style));
}
