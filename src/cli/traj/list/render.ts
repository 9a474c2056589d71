import { largest } from '../../../core/lists/extremes.js';
import { displayWidth } from '../../../report/display-width.js';
import { count, reward, UNKNOWN } from '../../../report/quantities.js';
import { type Column, renderTable } from '../../../report/table.js';
import type { Look } from '../../look.js';

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
export interface ListRow {
  session_id: string;
  model: string | null;
  turns: number;
  /** Prompt and completion of all turns; null where no turn says. */
  tokens: number | null;
  reward: number | null;
  stop_reason: string | null;
  completed: boolean;
}

/** A line for each trajectory, below a heading. */
export function listLines(
  rows: readonly ListRow[],
  { columns, style }: Pick<Look, 'columns' | 'style'>,
): string[] {
  const widest = largest(
    rows.map((row) => displayWidth(row.session_id)),
    0,
  );
  const shown = widest > columns * SESSION_SHARE ? rows.map(withoutRun) : rows;
  return renderTable(COLUMNS, shown.map(cells), columns, style);
}

/** A narrow terminal has no room for the id of the run, which is the same in most rows. */
function withoutRun(row: ListRow): ListRow {
  return { ...row, session_id: row.session_id.replace(/^.+?__(?=.)/, '…') };
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
