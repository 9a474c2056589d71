import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { type CommonOptions, withCommonOptions } from '../common-options.js';

interface ShowOptions extends CommonOptions {
  full?: boolean;
  attempt?: string;
}

/** `longrun rollouts show`. */
export function showCommand(io: CliIo): Command {
  const command = new Command('show')
    .description('The conversation of a rollout, its verdict and how it ended.')
    .argument('<rollout>', 'Id of the rollout: run/task/sample')
    .option('--full', 'Long messages and tool results whole')
    .option('--attempt <n>', 'Another attempt than the one that counts')
    .action((id: string, options: ShowOptions) => show(id, options, io));
  return withCommonOptions(command, 'longrun rollouts show tblite-20260412-1503-k3f9/csv-statistics/0');
}

async function show(id: string, options: ShowOptions, io: CliIo): Promise<void> {
  const { commandContext } = await import('../command-context.js');
  const { printJson, printLines } = await import('../print.js');
  const { loadRollout, rolloutDocument } = await import('../../records/find-rollout.js');
  const { renderConversation } = await import('../../report/conversation.js');
  const { wholeNumber } = await import('../whole-number.js');
  const { lookOf } = await import('../look.js');
  const { json, stateDir } = await commandContext(options, io);
  const attempt = options.attempt === undefined ? undefined : wholeNumber('--attempt', options.attempt);
  const { view, passThreshold } = await loadRollout(stateDir, id, attempt, io.env);
  if (json) return printJson(io, rolloutDocument(view));
  const full = options.full === true;
  printLines(io, renderConversation(view, { ...lookOf(io), full, passThreshold }));
}
