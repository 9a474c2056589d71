import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { type CommonOptions, withCommonOptions } from '../common-options.js';

/** `longrun tasks show`. */
export function showCommand(io: CliIo): Command {
  const command = new Command('show')
    .description('A task as agents get it: instruction, sandbox, limits, verification.')
    .argument('<environment>', 'A built-in environment, a task folder or a folder of tasks')
    .argument('<task>', 'Id of the task')
    .action((environment: string, task: string, options: CommonOptions) =>
      show(environment, task, options, io),
    );
  return withCommonOptions(command, 'longrun tasks show tblite csv-statistics');
}

async function show(environment: string, taskId: string, options: CommonOptions, io: CliIo): Promise<void> {
  const { commandContext } = await import('../command-context.js');
  const { printJson, printLines } = await import('../print.js');
  const { loadTask } = await import('../../runs/load-tasks.js');
  const { taskSchema } = await import('../../core/rollout/task.schema.js');
  const { toWire } = await import('../../store/wire/wire.js');
  const { renderTask } = await import('./render-task.js');
  const { lookOf } = await import('../look.js');
  const { json } = await commandContext(options, io);
  const task = await loadTask(environment, taskId);
  if (json) return printJson(io, toWire(taskSchema, task));
  printLines(io, renderTask(task, lookOf(io).style));
}
