import { escapeTerminal, escapeTerminalLine } from '../../report/escape-terminal.js';
import { count, dollars } from '../../report/quantities.js';
import { MARKS, markOf, type RunView } from '../../runs/status/run-view.js';
import type { RolloutResult } from '../../store/records/records.schema.js';
import { NAMES } from './glyphs.js';
import type { LiveView } from './live-view.js';
import { statusText } from './render-grid.js';
import { clockTime, timeLeft } from './times.js';

/** Up to here every finished rollout has its line; beyond, a log of thousands would help nobody. */
const LINE_PER_ROLLOUT_MAX = 200;
const PROGRESS_EVERY_MS = 10_000;
/** Infrastructure failures have their line in large runs too, until they repeat themselves. */
const TROUBLE_LINES_MAX = 20;

/** Lines for logs and pipes: one per finished rollout in small runs, progress lines in large ones. */
export class PlainView implements LiveView {
  private troubles = 0;
  private paused: string | null = null;
  private progressAt: number;
  private last: RunView | null = null;

  constructor(
    private readonly write: (text: string) => void,
    private readonly passThreshold: number,
    private readonly now: () => number,
  ) {
    this.progressAt = now();
  }

  update(view: RunView, finished: readonly RolloutResult[]): void {
    if (this.last === null && view.done > finished.length) this.line(progressLine(view));
    this.last = view;
    const before = view.done - finished.length;
    for (const [index, result] of finished.entries()) this.finishedLine(view, result, before + index + 1);
    this.pauseLine(view);
    const small = view.total <= LINE_PER_ROLLOUT_MAX;
    if (this.now() - this.progressAt < (small ? 3 : 1) * PROGRESS_EVERY_MS) return;
    this.progressAt = this.now();
    this.line(progressLine(view));
    for (const line of view.serving ?? []) this.line(`  ${line}`);
  }

  /** A run that its budget has paused says so at once, and once. */
  private pauseLine({ runId, pauseNote, ...view }: RunView): void {
    const note = pauseNote ?? null;
    if (note !== null && note !== this.paused)
      this.line(`Run ${runId} is ${statusText({ ...view, pauseNote: note })}.`);
    this.paused = note;
  }

  note(text: string | null): void {
    if (text !== null) this.line(text);
  }

  print(text: string): void {
    this.write(text);
  }

  close(): void {
    if (this.last && this.last.total > LINE_PER_ROLLOUT_MAX) this.line(progressLine(this.last));
  }

  /** Plain text, escaped here. */
  private line(text: string): void {
    this.write(`${escapeTerminal(text)}\n`);
  }

  private finishedLine(view: RunView, result: RolloutResult, count: number): void {
    const failed = result.failureClass === 'infrastructure';
    if (failed) this.troubles += 1;
    const wanted = view.total <= LINE_PER_ROLLOUT_MAX || (failed && this.troubles <= TROUBLE_LINES_MAX);
    if (!wanted) return;
    this.line(escapeTerminalLine(`[${count}/${view.total}] ${resultLine(result, this.passThreshold)}`));
  }
}

function resultLine(result: RolloutResult, passThreshold: number): string {
  const seconds = (result.timings.finishedAt - result.timings.startedAt) / 1_000;
  const parts = [
    result.reward === null ? null : `reward ${Number(result.reward.toFixed(3))}`,
    result.stopReason === 'natural' ? null : result.stopReason,
    `${result.turns} turns`,
    `${seconds.toFixed(1)} s`,
    result.costUsd ? dollars(result.costUsd) : null,
    result.failure?.message ?? null,
  ];
  const mark = NAMES[markOf(result, passThreshold)];
  return `${mark.padEnd(7)} ${result.taskId}/${result.sample}  ${parts.filter((part) => part !== null).join(', ')}`;
}

/** One line of counts and rates, for logs. */
export function progressLine(view: RunView): string {
  const counts = MARKS.filter((mark) => view.counts[mark] > 0).map(
    (mark) => `${view.counts[mark]} ${NAMES[mark]}`,
  );
  const parts = [
    `${clockTime(view.elapsedMs)}  ${view.done}/${view.total} done`,
    counts.length === 0 ? null : counts.join(', '),
    view.pauseNote ? statusText(view) : null,
    view.turnsPerSecond === null ? null : `${view.turnsPerSecond.toFixed(1)} turns/s`,
    `${count(view.tokens)} tokens`,
    view.costUsd === null ? null : dollars(view.costUsd),
    view.msLeft === null ? null : timeLeft(view.msLeft),
  ];
  return parts.filter((part) => part !== null).join(' · ');
}
