import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { compressCommand } from './traj/compress.js';
import { exportCommand } from './traj/export.js';
import { feedbackCommand } from './traj/feedback.js';
import { filterCommand } from './traj/filter.js';
import { importCommand } from './traj/import.js';
import { listCommand } from './traj/list.js';
import { scoreCommand } from './traj/score.js';
import { showCommand } from './traj/show.js';
import { statsCommand } from './traj/stats.js';
import { uploadCommand } from './traj/upload.js';

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
