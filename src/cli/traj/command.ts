import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { compressCommand } from './compress/command.js';
import { exportCommand } from './export/command.js';
import { feedbackCommand } from './feedback/command.js';
import { filterCommand } from './filter/command.js';
import { importCommand } from './import/command.js';
import { listCommand } from './list/command.js';
import { scoreCommand } from './score/command.js';
import { showCommand } from './show/command.js';
import { statsCommand } from './stats/command.js';
import { uploadCommand } from './upload/command.js';

/** `longrun traj …`. */
export function trajCommand(io: CliIo): Command {
  return new Command('traj')
    .description('Trajectories: look at them, convert them, make training data of them.')
    .addCommand(listCommand(io))
    .addCommand(showCommand(io))
    .addCommand(exportCommand(io))
    .addCommand(importCommand(io))
    .addCommand(filterCommand(io))
    .addCommand(scoreCommand(io))
    .addCommand(feedbackCommand(io))
    .addCommand(statsCommand(io))
    .addCommand(compressCommand(io))
    .addCommand(uploadCommand(io))
    .addHelpText(
      'after',
      '\nExample:\n  $ longrun traj export tblite-20260412-1503-k3f9 --format sharegpt\n',
    );
}
