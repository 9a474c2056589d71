import { Command } from 'commander';
import { badInput } from '../../core/errors.js';
import type { ReplayMode, ReplayRequest } from '../../store/records/replay.schema.js';
import type { CliIo } from '../cli-io.js';
import { type CommonOptions, withCommonOptions } from '../common-options.js';
import { wholeNumber } from '../whole-number.js';

const MODES: readonly ReplayMode[] = ['rerun', 'resume', 'verify', 'fork'];

const EXPLANATION = `
Modes:
  rerun    a new attempt from the start
  resume   a fresh sandbox in which the recorded commands are executed again, then the agent goes on
  verify   only the tests, against the recorded final state; asks no model
  fork     new rollouts that part after a turn, as a run of their own

A scored result is never replaced: its replays are kept beside it. An infrastructure failure or a
cancellation gives way to the first replay that ended scored.

Examples:
  Try again what failed for reasons that are not the agent's:
    $ longrun replay tblite-20260412-1503-k3f9 --failed --mode rerun
  See first what that would be:
    $ longrun replay tblite-20260412-1503-k3f9 --failed --mode rerun --dry-run
  Go on after turn 5 of one rollout:
    $ longrun replay tblite-20260412-1503-k3f9 --rollout csv-statistics/0 --mode resume --from-turn 5
  Eight continuations of it:
    $ longrun replay tblite-20260412-1503-k3f9 --rollout csv-statistics/0 --mode fork --from-turn 5 --times 8

Exit codes: 0 done, 1 error or nothing scored, 2 bad input, 130 interrupted.
`;

export interface ReplayFlags extends CommonOptions {
  failed?: boolean;
  stopReason: string[];
  task: string[];
  rollout: string[];
  includeSealed?: boolean;
  mode?: string;
  fromTurn?: string;
  times: string;
  dryRun?: boolean;
}

/** `longrun replay`. */
export function replayCommand(io: CliIo): Command {
  const collect = (value: string, before: string[]): string[] => [...before, value];
  const command = new Command('replay')
    .description('Make new attempts at rollouts of a run, from the start or from what is recorded.')
    .argument('<run>', 'Id of the run')
    .option('--failed', 'Infrastructure failures and cancellations')
    .option('--stop-reason <reason>', 'Rollouts that ended so; may be repeated', collect, [])
    .option('--task <pattern>', 'Rollouts of these tasks; may be repeated', collect, [])
    .option('--rollout <id>', 'These rollouts, whatever became of them; may be repeated', collect, [])
    .option('--include-sealed', 'Scored rollouts, too; their results stay what they are')
    .option('--mode <mode>', `How (${MODES.join(', ')})`)
    .option('--from-turn <k>', 'resume, fork: go on after turn k; resume: after the last one by default')
    .option('--times <n>', 'New attempts of each rollout', '1')
    .option('--dry-run', 'Only say what would be replayed')
    .addHelpText('after', EXPLANATION)
    .action((runId: string, flags: ReplayFlags) => replay(runId, flags, io));
  return withCommonOptions(command, 'longrun replay tblite-20260412-1503-k3f9 --failed --mode rerun');
}

/** The flags as a request. Throws `bad_input`. */
export function requestOf(flags: ReplayFlags): ReplayRequest {
  const mode = MODES.find((known) => known === flags.mode);
  if (mode === undefined) {
    const found = flags.mode === undefined ? 'nothing' : `"${flags.mode}"`;
    throw badInput(
      `--mode: found ${found}, accepted: ${MODES.join(', ')}.`,
      'longrun replay --help says what each does.',
    );
  }
  return {
    mode,
    failed: flags.failed === true,
    stopReasons: flags.stopReason,
    tasks: flags.task,
    rollouts: flags.rollout,
    includeSealed: flags.includeSealed === true,
    fromTurn: flags.fromTurn === undefined ? null : wholeNumber('--from-turn', flags.fromTurn),
    times: wholeNumber('--times', flags.times),
  };
}

async function replay(runId: string, flags: ReplayFlags, io: CliIo): Promise<void> {
  const { commandContext } = await import('../command-context.js');
  const { checkRequest } = await import('../../replay/check-request.js');
  const request = requestOf(flags);
  checkRequest(request);
  const context = await commandContext(flags, io);
  if (flags.dryRun === true) {
    const { previewCommand } = await import('./preview-replay.js');
    return await previewCommand(context, runId, request);
  }
  const { replayCommandLine } = await import('./attend-replay.js');
  await replayCommandLine(context, runId, request);
}
