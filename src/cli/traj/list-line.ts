import { effectiveReward } from '../../core/trajectory/effective-reward.js';
import type { Episode } from '../../core/trajectory/episode.schema.js';
import { messagesOf } from '../../formats/messages-of.js';
import { displayWidth } from '../../report/display-width.js';
import { count, reward, UNKNOWN } from '../../report/quantities.js';
import { type Column, renderTable } from '../../report/table.js';
import type { CliIo } from '../cli-io.js';
import { commandContext } from '../command-context.js';
import { lookOf } from '../look.js';
import { printJson, printLines } from '../print.js';
import { commandInputs } from './traj-inputs.js';
import { type InputOptions, inputNames } from './traj-options.js';

const COLUMNS: Column[] = [
  { title: 'session' },
  { title: 'model', flexible: true },
  { title: 'turns', align: 'right' },
  { title: 'tokens', align: 'right' },
  { title: 'reward', align: 'right' },
  { title: 'ended' },
];

/** Of the width: what a session id leaves for the other columns, more than half. */
const SESSION_SHARE = 0.45;

/** What `traj list` says of a trajectory. */
interface ListRow {
  session_id: string;
  model: string | null;
  turns: number;
  /** Prompt and completion of all turns; null where no turn says. */
  tokens: number | null;
  reward: number | null;
  stop_reason: string | null;
  completed: boolean;
}

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
  const { columns, style } = lookOf(io);
  const widest = Math.max(0, ...rows.map((row) => displayWidth(row.session_id)));
  const shown = widest > columns * SESSION_SHARE ? rows.map(withoutRun) : rows;
  printLines(io, renderTable(COLUMNS, shown.map(cells), columns, style));
}

/** A narrow terminal has no room for the id of the run, which is the same in most rows. */
function withoutRun(row: ListRow): ListRow {
  return { ...row, session_id: row.session_id.replace(/^.+?__(?=.)/, '…') };
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

function cells(row: ListRow): string[] {
  return [
    row.session_id,
    row.model ?? UNKNOWN,
    String(row.turns),
    row.tokens === null ? UNKNOWN : count(row.tokens),
    reward(row.reward),
    row.stop_reason ?? (row.completed ? 'completed' : 'not completed'),
  ];
}
