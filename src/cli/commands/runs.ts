import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { cancelCommand } from './runs/cancel.js';
import { listCommand } from './runs/list.js';
import { pauseCommand } from './runs/pause.js';
import { recoverCommand } from './runs/recover.js';
import { resumeCommand } from './runs/resume.js';
import { setCommand } from './runs/set.js';
import { showCommand } from './runs/show.js';
import { watchCommand } from './runs/watch.js';

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
