import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';

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
      io.stdout.write(`${JSON.stringify(configFileJsonSchema(), null, 2)}\n`);
    });
  return new Command('schema')
    .description('JSON Schema of the settings file, for editors.')
    .addCommand(config)
    .addHelpText('after', '\nExample:\n  $ longrun schema config > longrun.schema.json\n');
}
