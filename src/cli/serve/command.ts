import { Command } from 'commander';
import type { FlagValues } from '../../config/merge-settings.js';
import type { ServeSettingName } from '../../config/serve-settings.schema.js';
import { serveSettingTable } from '../../config/setting-table.js';
import type { CliIo } from '../cli-io.js';
import { addSettingOptions, flagsOf } from '../setting-options.js';

const EXAMPLES = `
Groups of rollouts of one task go to every sink that is named, for as long as there is a trainer (or until --groups
are done): --listen answers trainers with the API of Atropos, and those that pull with an API of its own; --atropos
posts to a server that runs elsewhere; --tinker and --jsonl grow folders. What a trainer has not consumed holds back
new groups and never ends one that runs. Each sink keeps a ledger in the store, so that a killed command, worker or
trainer loses no group.

Trainers need the token ids that were sampled: say with --token-api how the endpoint tells them.

Examples:
  A look without an API key: rows in a folder.
    $ longrun serve tblite --model scripted/demo --jsonl rows/ --groups 4 --group-size 2
  A trainer written for Atropos, which is pointed at http://127.0.0.1:8001 instead of its server:
    $ longrun serve ./my-tasks --model my-model --base-url http://localhost:8000/v1 --token-api vllm \\
        --tokenizer ./my-model --group-size 8 --listen :8001
  An Atropos server, rollouts of policies older than two steps masked:
    $ longrun serve ./my-tasks --model my-model … --atropos http://trainer:8000 --max-lag 2
  Open to other machines, with a token:
    $ longrun serve ./my-tasks --model my-model … --listen 0.0.0.0:8001 --token-env API_TOKEN

Ctrl-C pauses the run in order; longrun runs resume goes on with it. A trainer that has done all the steps it registered
with ends the run: nothing new is started from then on, and that cannot be taken back, by runs resume neither.

Exit codes: 0 done, 1 error, 2 bad input, 130 interrupted.
`;

/** `longrun serve`. */
export function serveCommand(io: CliIo): Command {
  const command = new Command('serve')
    .description('Feed trainers with groups of rollouts, for as long as they train.')
    .argument('[environment]', 'A built-in environment, a task folder or a folder of tasks')
    .addHelpText('after', EXAMPLES)
    .action((environment: string | undefined, options: Record<string, unknown>) =>
      serve(flagsOf(serveSettingTable(), options, environment), io),
    );
  return addSettingOptions(command, [], serveSettingTable());
}

async function serve(flags: FlagValues<ServeSettingName>, io: CliIo): Promise<void> {
  const { serveRun } = await import('./run.js');
  await serveRun(flags, io);
}
