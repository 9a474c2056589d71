import { effectiveReward } from '../../../core/trajectory/effective-reward.js';
import type { Episode } from '../../../core/trajectory/episode.schema.js';
import { messagesOf } from '../../../formats/messages-of.js';
import type { CliIo } from '../../cli-io.js';
import { commandContext } from '../../command-context.js';
import { lookOf } from '../../look.js';
import { printJson, printLines } from '../../print.js';
import { commandInputs } from '../traj-inputs.js';
import { type InputOptions, inputNames } from '../traj-options.js';
import { type ListRow, listLines } from './render.js';

/** `longrun traj list`. */
export async function listLine(
  positionals: readonly string[],
  flags: InputOptions,
  io: CliIo,
): Promise<void> {
  const context = await commandContext(flags, io);
  const { inputs, done, progress, rejected } = await commandInputs(context, inputNames(positionals, flags), {
    strict: flags.strict === true,
  });
  const rows: ListRow[] = [];
  for await (const episode of inputs.read()) {
    rows.push(listRow(episode));
    progress.step('trajectories read');
  }
  done();
  if (context.json) return printJson(io, { trajectories: rows, broken_lines: rejected() });
  if (rows.length === 0) return printLines(io, ['No trajectories.']);
  printLines(io, listLines(rows, lookOf(io)));
}

function listRow(episode: Episode): ListRow {
  const { sessionId, model, turns, outcome, rewards } = episode;
  const usages = turns.flatMap(({ usage }) => usage ?? []);
  return {
    session_id: sessionId,
    model,
    turns: messagesOf(episode).filter(({ role }) => role === 'assistant').length,
    tokens:
      usages.length === 0
        ? null
        : usages.reduce((sum, usage) => sum + usage.promptTokens + usage.completionTokens, 0),
    reward: effectiveReward(rewards),
    stop_reason: outcome.stopReason,
    completed: outcome.completed,
  };
}
