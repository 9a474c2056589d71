import { Command } from 'commander';
import type { CliIo } from './cli-io.js';
import { COMMANDS, type CommandEntry, MACHINERY } from './command-table.js';
import { packageVersion } from './package-version.js';

/**
 * The command tree. Commands named in `load` (or all of them) are loaded in full; of the others
 * only name and summary are known, which is all that help and suggestions need.
 */
export async function buildProgram(
  io: CliIo,
  load: (name: string) => boolean,
  entries: readonly CommandEntry[] = COMMANDS,
): Promise<Command> {
  const program = new Command('longrun')
    .description('Durable agent rollouts against benchmark tasks, on Temporal.')
    .version(packageVersion(), '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Print help')
    .addHelpCommand(
      new Command('help').argument('[command]').description(HELP_OF_COMMAND).helpGroup(MACHINERY),
    )
    .addHelpText('after', EXAMPLES);
  settle(program, io);
  for (const entry of entries) {
    const command = load(entry.name) ? (await entry.load())(io) : new Command(entry.name);
    command.summary(entry.summary).helpGroup(entry.group);
    if (!command.description()) command.description(entry.summary);
    settleAll(command, io);
    program.addCommand(command);
  }
  return program;
}

const HELP_OF_COMMAND = 'Print help for a command';
const EXAMPLES = `
Examples:
  $ longrun evaluate tblite --model scripted/demo --samples 3
  $ longrun evaluate ./my-tasks --agent oracle
  $ longrun runs list
`;

function settleAll(command: Command, io: CliIo): void {
  settle(command, io);
  if (command.commands.length > 0) command.helpCommand('help [command]', HELP_OF_COMMAND);
  for (const child of command.commands) settleAll(child, io);
}

/** Errors are thrown, not printed: one place prints them, and names the help of the command that was meant. */
function settle(command: Command, io: CliIo): void {
  command
    .exitOverride((error) => {
      throw Object.assign(error, { command: pathOf(command) });
    })
    .helpOption('-h, --help', 'Print help')
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: () => {},
      getOutHelpWidth: () => io.stdout.columns ?? 100,
    });
}

/** As it is typed: `longrun traj export`. */
function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}
