import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { type CommonOptions, withCommonOptions } from '../common-options.js';

/** `longrun hosts`. */
export function hostsCommand(io: CliIo): Command {
  const command = new Command('hosts')
    .description('Workers that the store knows: what they do, what they hold, when they were last seen.')
    .action((options: CommonOptions) => hosts(options, io));
  return withCommonOptions(command, 'longrun hosts');
}

async function hosts(options: CommonOptions, io: CliIo): Promise<void> {
  const { commandContext } = await import('../command-context.js');
  const { printJson, printLines } = await import('../print.js');
  const { hostRowSchema, listHostRows } = await import('../../hosts/host-rows.js');
  const { toWire } = await import('../../store/wire/wire.js');
  const { renderHosts } = await import('./render.js');
  const { lookOf } = await import('../look.js');
  const { json, stateDir } = await commandContext(options, io);
  const now = io.now();
  const rows = await listHostRows(stateDir, io.env, now);
  if (json) return printJson(io, { hosts: rows.map((row) => toWire(hostRowSchema, row)) });
  printLines(io, renderHosts(rows, now, lookOf(io)));
}
