import type { QueueState } from '../../core/rollout/outcome.js';
import type { QueueEntry } from '../../queue/load-entry.js';
import { QUEUE_STATES, type QueueRow } from '../../queue/read-queue.js';
import { escapeTerminalLine } from '../../report/escape-terminal.js';
import { reward } from '../../report/quantities.js';
import { renderTable } from '../../report/table.js';
import type { AttemptRecord } from '../../store/records/records.schema.js';
import type { Look } from '../look.js';

/** `queue list` for people. */
export function queueLines(
  counts: Record<QueueState, number>,
  rows: readonly QueueRow[],
  { style, columns }: Look,
): string[] {
  const summary = QUEUE_STATES.map((state) => `${state} ${counts[state]}`).join('   ');
  if (rows.length === 0) return [summary];
  const layout = [
    { title: 'rollout', flexible: true },
    { title: 'queue' },
    { title: 'ended' },
    { title: 'reward', align: 'right' as const },
    { title: 'attempts', align: 'right' as const },
  ];
  const cells = rows.map((row) => [
    row.rolloutId,
    row.resolution === null ? row.state : `${row.state} (${row.resolution.as})`,
    row.open ? `${row.stopReason}, trying again` : row.stopReason,
    reward(row.reward),
    String(row.attempts),
  ]);
  return [summary, '', ...renderTable(layout, cells, Math.min(columns, 110), style)];
}

/** `queue show` for people. */
export function queueEntryLines(entry: QueueEntry, { style }: Look): string[] {
  const { state, stopReason, failure, suspectedTampering } = entry;
  const lines = [
    style('bold', escapeTerminalLine(entry.rolloutId)),
    `${state} · ${stopReason} · reward ${reward(entry.reward)} · attempt ${entry.attempt} counts`,
  ];
  if (failure !== null)
    lines.push(style('yellow', escapeTerminalLine(`${failure.code}: ${failure.message}`)));
  if (failure?.hint) lines.push(escapeTerminalLine(failure.hint));
  if (suspectedTampering.length > 0) {
    const touched = suspectedTampering.map(escapeTerminalLine).join(', ');
    lines.push(style('yellow', `the agent changed what verification depends on: ${touched}`));
  }
  lines.push('', ...entry.attemptRecords.map((attempt) => attemptLine(attempt)));
  for (const { as, by, at, note, attempt } of entry.resolutions) {
    const why = note === null ? '' : `: ${escapeTerminalLine(note)}`;
    lines.push(
      `${as} by ${escapeTerminalLine(by)}, ${new Date(at).toISOString()}, of attempt ${attempt}${why}`,
    );
  }
  return [
    ...lines,
    '',
    `evidence  ${escapeTerminalLine(entry.evidence)}`,
    ...entry.advice.map(escapeTerminalLine),
  ];
}

function attemptLine({ attempt, stopReason, reward: score, failure, replay }: AttemptRecord): string {
  const why = failure === null ? '' : `: ${escapeTerminalLine(failure.message)}`;
  const from = replay === null ? '' : `  (${replay.mode}, replay ${replay.replayId})`;
  return `attempt ${attempt}  ${stopReason} ${reward(score)}${why}${from}`;
}
