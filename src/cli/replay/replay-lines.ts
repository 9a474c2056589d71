import type { ReplayReport, ReplayRow } from '../../replay/report-replay.js';
import type { LeftOut } from '../../replay/select-members.js';
import { escapeTerminalLine } from '../../report/escape-terminal.js';
import { reward } from '../../report/quantities.js';
import { replayedLines } from '../../report/replayed-lines.js';
import { rolloutMark } from '../../report/rollout-mark.js';
import type { Style } from '../../report/style.js';
import { type Column, renderTable } from '../../report/table.js';
import type { RolloutResult } from '../../store/records/records.schema.js';

const LEFT_OUT_SHOWN = 8;

/** What a selection leaves alone, with the reasons. */
export function leftOutLines(leftOut: readonly LeftOut[]): string[] {
  const shown = leftOut.slice(0, LEFT_OUT_SHOWN);
  const lines = shown.map(({ taskId, sample, reason }) =>
    escapeTerminalLine(`Left out ${taskId}/${sample}: ${reason}.`),
  );
  return leftOut.length > shown.length
    ? [...lines, `Left out ${leftOut.length - shown.length} more.`]
    : lines;
}

/** One line for a new attempt that has ended. */
export function endedLine(result: RolloutResult, done: number, total: number, passThreshold: number): string {
  const { sign, meaning } = rolloutMark(result, passThreshold);
  const why = result.failure === null ? '' : `: ${escapeTerminalLine(result.failure.message)}`;
  const name = escapeTerminalLine(`${result.taskId}/${result.sample}`);
  return `${done}/${total}  ${sign} ${name} attempt ${result.attempt}  ${meaning}, ${result.stopReason}, reward ${reward(result.reward)}${why}`;
}

/** The end of a replay: before and after, and which attempt counts. */
export function reportLines(
  { replay, rollouts, passThreshold }: ReplayReport,
  style: Style,
  columns: number,
): string[] {
  const layout: Column[] = [
    { title: 'rollout', flexible: true },
    { title: 'before' },
    { title: 'attempt', align: 'right' },
    { title: 'now' },
    { title: 'reward', align: 'right' },
    { title: 'counts' },
  ];
  const rows = rollouts.map((row) => [
    row.rolloutId,
    `${row.before.stopReason} ${reward(row.before.reward)}`,
    row.result === null ? '' : String(row.result.attempt),
    row.result === null ? 'open' : `${rolloutMark(row.result, passThreshold).sign} ${row.result.stopReason}`,
    reward(row.result?.reward ?? null),
    row.counts ? 'yes' : `no, attempt ${row.countingAttempt} does`,
  ]);
  return [
    `${style('bold', `replay ${replay.replayId}`)} of run ${replay.runId} · ${replay.request.mode} · ${replay.status}`,
    '',
    ...renderTable(layout, rows, Math.min(columns, 110), style),
    ...rollouts.flatMap(differenceLines),
  ];
}

function differenceLines({ rolloutId, result }: ReplayRow): string[] {
  const replayed = result?.replay ?? null;
  return replayed === null
    ? []
    : replayedLines(replayed).map((line) => `${escapeTerminalLine(rolloutId)}: ${line}`);
}
