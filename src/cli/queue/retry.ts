import { Command } from 'commander';
import type { CliIo } from '../cli-io.js';
import { type CommonOptions, withCommonOptions } from '../common-options.js';

interface RetryOptions extends CommonOptions {
  run?: string;
  state?: string;
}

/** `longrun queue retry`. */
export function retryCommand(io: CliIo): Command {
  const command = new Command('retry')
    .description('New attempts, from the start, at rollouts without a score (as replay --mode rerun).')
    .argument('[rollouts...]', 'Ids of rollouts: run/task/sample')
    .option('--run <id>', 'What this run has in its queues')
    .option('--state <queue>', 'What is in this queue')
    .action((ids: string[], options: RetryOptions) => retry(ids, options, io));
  return withCommonOptions(command, 'longrun queue retry --run tblite-20260412-1503-k3f9');
}

async function retry(ids: string[], options: RetryOptions, io: CliIo): Promise<void> {
  const { commandContext } = await import('../command-context.js');
  const { queueStateFlag } = await import('./queue-state.js');
  const { chooseRetries } = await import('../../queue/choose-retries.js');
  const { openStore } = await import('../../store/index.js');
  const { retryRuns } = await import('../replay/retry-runs.js');
  const state = queueStateFlag(options.state);
  const context = await commandContext(options, io);
  const store = await openStore(context.stateDir, io.env);
  const chosen = await chooseRetries(store, { ids, runId: options.run ?? null, state });
  await retryRuns(context, chosen);
}
