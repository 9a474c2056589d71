import { withRunClient } from '../../launch/resume-run.js';
import type { RunClient } from '../../temporal/run-client.js';
import type { CliIo } from '../cli-io.js';
import { commandContext } from '../command-context.js';
import type { CommonOptions } from '../common-options.js';
import { printJson } from '../print.js';

/** Sends one message to a run and says what became of it. */
export async function steerRun(
  runId: string,
  options: CommonOptions,
  io: CliIo,
  outcome: string,
  send: (runs: RunClient) => Promise<void>,
): Promise<void> {
  const { json, stateDir, say } = await commandContext(options, io);
  const worked = await withRunClient({ stateDir, env: io.env }, runId, send);
  if (json) printJson(io, { run_id: runId, status: outcome });
  else if (worked) say(`Run ${runId} is being ${outcome}.`);
  else say(`Run ${runId} will be ${outcome} as soon as a worker runs: longrun up`);
}
