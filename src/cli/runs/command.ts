import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { cancelCommand } from './cancel.js';
import { listCommand } from './list.js';
import { pauseCommand } from './pause.js';
import { recoverCommand } from './recover.js';
import { resumeCommand } from './resume.js';
import { setCommand } from './set.js';
import { showCommand } from './show.js';
import { watchCommand } from './watch.js';

/** `longrun runs …`. */
export function runsCommand(io: CliIo): Command {
  const command = new Command('runs').description(
    'List, show, watch, pause, resume, limit, cancel and recover runs.',
  );
  const make = [
    listCommand,
    showCommand,
    watchCommand,
    pauseCommand,
    resumeCommand,
    setCommand,
    cancelCommand,
    recoverCommand,
  ];
  for (const build of make) command.addCommand(build(io));
  return command.addHelpText('after', '\nExample:\n  $ longrun runs list\n');
}
