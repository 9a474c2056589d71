import { Command } from 'commander';
import type { CliIo } from '../../cli-io.js';
import { withCommonOptions } from '../../common-options.js';
import { withInputs } from '../traj-options.js';
import type { UploadFlags } from './run.js';

const EXPLANATION = `
Rows go in batches, each with a key of its own. What the receiver has acknowledged is noted in the state folder, so
that an upload which was interrupted goes on where it stopped, and a row is not sent twice. A row that is refused is
set aside and holds up no other. docs/filtering.md describes what a receiver has to answer.

Exit codes:
  0  done   1  rows were refused, or the receiver is away   2  bad input   130  interrupted
`;

/** `longrun traj upload`. */
export function uploadCommand(io: CliIo): Command {
  const command = withInputs(new Command('upload'))
    .description('Sends trajectories to an HTTP endpoint, each of them once.')
    .option(
      '--endpoint <url>',
      'Where they are posted: https, or http on this machine (default: trajectory.upload_endpoint of the settings, with its key)',
    )
    .option('--api-key-env <name>', 'Variable with the key, which is sent as a bearer token')
    .option('--api-key <key>', 'The key itself: better by --api-key-env, as command lines are remembered')
    .option('--batch-size <n>', 'At most so many rows a request (default: 100)')
    .option('--batch-bytes <n>', 'At most so many bytes a request, before they are packed (default: 4194304)')
    .option('--no-gzip', 'Bodies as they are, for receivers that cannot unpack them')
    .option('--max-wait <seconds>', 'Given up after so long without anything being stored (default: 600)')
    .option('--retry-parked', 'Also sends rows that were refused earlier')
    .option('--insecure', 'Allows http to another machine: rows and key can be read on the way')
    .option('--dry-run', 'Says what would be sent')
    .addHelpText('after', EXPLANATION)
    .action((inputs: string[], options: UploadFlags) => run(inputs, options, io));
  return withCommonOptions(
    command,
    'longrun traj upload filtered/ --endpoint https://training.example.org/trajectories --api-key-env UPLOAD_KEY',
  );
}

async function run(inputs: string[], options: UploadFlags, io: CliIo): Promise<void> {
  const { uploadLine } = await import('./run.js');
  await uploadLine(inputs, options, io);
}
