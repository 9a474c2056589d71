import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { type CommonOptions, withCommonOptions } from '../common-options.js';

/** `longrun tasks list`. */
export function listCommand(io: CliIo): Command {
  const command = new Command('list')
    .description('Tasks of an environment or folder, with their limits.')
    .argument('<environment>', 'A built-in environment, a task folder or a folder of tasks')
    .action((environment: string, options: CommonOptions) => list(environment, options, io));
  return withCommonOptions(command, 'longrun tasks list tblite');
}

async function list(environment: string, options: CommonOptions, io: CliIo): Promise<void> {
  const { commandContext } = await import('../command-context.js');
  const { printJson, printLines } = await import('../print.js');
  const { loadTasks } = await import('../../runs/load-tasks.js');
  const { renderTaskRows, taskRow } = await import('./render-task.js');
  const { lookOf } = await import('../look.js');
  const { json } = await commandContext(options, io);
  const { tasks } = await loadTasks(environment);
  const rows = tasks.map(({ task }) => taskRow(task));
  if (json) return printJson(io, { tasks: rows });
  printLines(io, renderTaskRows(rows, lookOf(io)));
}
