import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { listCommand } from './list.js';
import { resolveCommand } from './resolve.js';
import { retryCommand } from './retry.js';
import { showCommand } from './show.js';

const EXPLANATION = `
Queues:
  success             scored, whatever the reward
  retryable_failure   infrastructure; its run tries again by itself
  terminal_failure    trying again cannot help until something is changed, or it was cancelled or given up
  needs_human_review  attempts spent, or suspected tampering

Example:
  $ longrun queue list --run tblite-20260412-1503-k3f9 --state needs_human_review
`;

/** `longrun queue …`. */
export function queueCommand(io: CliIo): Command {
  const command = new Command('queue').description('Rollouts by what has to be done about them.');
  for (const build of [listCommand, showCommand, retryCommand, resolveCommand]) command.addCommand(build(io));
  return command.addHelpText('after', EXPLANATION);
}
