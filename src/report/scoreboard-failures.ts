import type { RunDocument } from '../records/summary.js';
import type { RolloutResult } from '../store/records/records.schema.js';
import { rolloutMark } from './rollout-mark.js';
import type { Style } from './style.js';
import { type Column, painted, renderTable } from './table.js';

/** Kinds of failure shown; the rest is in the document. */
const KINDS_SHOWN = 8;
const MESSAGE_MAX_CHARS = 200;

/** Infrastructure failures by stop reason and message, apart from the scores they have no part in. */
export function failureLines({ rollouts }: RunDocument, style: Style, columns: number): string[] {
  const failed = rollouts.filter((result) => result.failureClass === 'infrastructure');
  if (failed.length === 0) return [];
  const kinds = new Map<string, { result: RolloutResult; times: number }>();
  for (const result of failed) {
    const kind = `${result.stopReason} ${result.failure?.message ?? ''}`;
    const known = kinds.get(kind);
    if (known) known.times += 1;
    else kinds.set(kind, { result, times: 1 });
  }
  const layout: Column[] = [
    { title: 'times', align: 'right' },
    { title: 'stopped by' },
    { title: 'message', flexible: true },
  ];
  const mostFirst = [...kinds.values()].sort((a, b) => b.times - a.times);
  const rows = mostFirst
    .slice(0, KINDS_SHOWN)
    .map(({ result, times }) => [
      String(times),
      painted(style, 'yellow', result.stopReason),
      (result.failure?.message ?? '').slice(0, MESSAGE_MAX_CHARS),
    ]);
  const rollout = failed.length === 1 ? 'rollout was' : 'rollouts were';
  const heading = `${failed.length} ${rollout} lost to infrastructure: without a score, in no mean`;
  const lines = [style('bold', heading), ...renderTable(layout, rows, columns, style)];
  if (mostFirst.length > KINDS_SHOWN)
    lines.push(style('dim', `and ${mostFirst.length - KINDS_SHOWN} other messages`));
  return lines;
}

/** The command that shows the rollout most worth a look: a failed one, else a lost one, else a partly solved one. */
export function lookCloserLines({ run, rollouts }: RunDocument, style: Style): string[] {
  const { passThreshold } = run.config;
  const rank = ['failed', 'partly', 'infrastructure, not scored', 'passed'];
  const rankOf = (result: RolloutResult): number => {
    const found = rank.indexOf(rolloutMark(result, passThreshold).meaning);
    return found < 0 ? rank.length : found;
  };
  const [first] = rollouts.toSorted((a, b) => rankOf(a) - rankOf(b));
  if (!first) return [];
  const what = rolloutMark(first, passThreshold).meaning;
  return [
    `${style('dim', 'look closer')}  ${style('cyan', `longrun rollouts show ${first.rolloutId}`)}${style('dim', `  (${what})`)}`,
    `${style('dim', 'this report')}  ${style('cyan', `longrun runs show ${run.runId}`)}`,
  ];
}
