import { type Command, Option } from 'commander';

/** What `withCommonOptions` adds to a command. */
export interface CommonOptions {
  json?: boolean;
  stateDir?: string;
  store?: string;
  logLevel?: string;
}

const HEADING = 'Common options:';
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];

/** Options that every command has, and the example that every help ends with. */
export function withCommonOptions(command: Command, example: string): Command {
  const logLevel = new Option(
    '--log-level <level>',
    `How much to log on standard error (${LEVELS.join(', ')})`,
  );
  logLevel.argChoices = LEVELS;
  const options = [
    new Option('--json', 'One JSON document on standard output, all else on standard error'),
    new Option('--state-dir <folder>', 'Folder of results, database and caches'),
    new Option(
      '--store <url>',
      'Where records are kept instead of the state folder: s3://bucket/prefix?endpoint=…',
    ),
    logLevel,
  ];
  for (const option of options) command.addOption(option.helpGroup(HEADING));
  return command.addHelpText('after', `\nExample:\n  $ ${example}\n`);
}
