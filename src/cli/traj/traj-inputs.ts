import type { ImportFormatName } from '../../formats/import-format.js';
import { openStore } from '../../store/index.js';
import { type EpisodeInputs, openInputs } from '../../trajectories/files/inputs.js';
import type { Rejection } from '../../trajectories/files/rejection.js';
import type { CommandContext } from '../command-context.js';
import { Progress } from './progress.js';

/** Lines about single rows that a person is shown; the rest are counted. */
const SHOWN = 5;

export interface CommandInputs {
  inputs: EpisodeInputs;
  /** Lines that could not be read, so far. */
  rejected(): number;
  progress: Progress;
  /** Says what was not shown. Call it when all is read. */
  done(): void;
}

/**
 * The inputs of a `traj` command: what cannot be read is said on standard error (the first lines of it) and
 * handed to `reject`; progress is shown on a terminal.
 */
export async function commandInputs(
  context: CommandContext,
  names: readonly string[],
  options: {
    strict?: boolean;
    format?: ImportFormatName | null;
    reject?(rejection: Rejection): Promise<void>;
  },
): Promise<CommandInputs> {
  let rejected = 0;
  const progress = new Progress(context);
  const inputs = await openInputs(names, {
    openStore: () => openStore(context.stateDir, context.io.env),
    strict: options.strict === true,
    format: options.format ?? null,
    onRejected: async (rejection) => {
      rejected += 1;
      const { file, line, reason } = rejection;
      if (rejected <= SHOWN) progress.say(`${file}:${line}: ${reason}`);
      await options.reject?.(rejection);
    },
  });
  const done = (): void => {
    progress.end();
    if (rejected > SHOWN) context.say(`… and ${rejected - SHOWN} more lines that cannot be read`);
  };
  return { inputs, rejected: () => rejected, progress, done };
}
