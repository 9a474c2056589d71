import { Command, Option } from 'commander';
import type { TrajectorySchemaKind } from '../../trajectories/json-schema.js';
import type { CliIo } from '../cli-io.js';
import { printJson } from '../print.js';

const EXAMPLES = `
Examples:
  $ longrun schema config > longrun.schema.json
  $ longrun schema trajectory > trajectory.schema.json
`;

/** `longrun schema …`. */
export function schemaCommand(io: CliIo): Command {
  const config = new Command('config')
    .description('JSON Schema of longrun.yaml.')
    .option('--json', 'The schema is JSON either way')
    .addHelpText(
      'after',
      '\nExample:\n  $ longrun schema config > longrun.schema.json\n  and in longrun.yaml: # yaml-language-server: $schema=longrun.schema.json\n',
    )
    .action(async () => {
      const { configFileJsonSchema } = await import('../../config/file-json-schema.js');
      printJson(io, configFileJsonSchema());
    });
  return new Command('schema')
    .description('JSON Schema of the settings file, for editors, and of the records of trajectories.')
    .addCommand(config)
    .addCommand(trajectoryCommand(io))
    .addHelpText('after', EXAMPLES);
}

function trajectoryCommand(io: CliIo): Command {
  return new Command('trajectory')
    .description('JSON Schema of trajectory.json.')
    .addOption(
      new Option('--kind <kind>', 'Of which record')
        .choices(['trajectory', 'llm-evaluated', 'are-evaluated', 'task'] satisfies TrajectorySchemaKind[])
        .default('trajectory'),
    )
    .option('--json', 'The schema is JSON either way')
    .addHelpText(
      'after',
      '\nExamples:\n  $ longrun schema trajectory > trajectory.schema.json\n  $ longrun schema trajectory --kind are-evaluated\n',
    )
    .action(async ({ kind }: { kind: TrajectorySchemaKind }) => {
      const { trajectoryJsonSchema } = await import('../../trajectories/json-schema.js');
      printJson(io, trajectoryJsonSchema(kind));
    });
}
