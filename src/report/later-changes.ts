import type { RunDocument } from '../records/summary.js';
import type { RolloutResult } from '../store/records/records.schema.js';
import { escapeTerminalLine } from './escape-terminal.js';
import { dollars } from './quantities.js';
import type { Style } from './style.js';

const NAMES_SHOWN = 5;

/** For people: which results are a replay's, and whose score a review has rejected. */
export function laterChangeLines(
  { rollouts, replays = [], reviews = [] }: RunDocument,
  style: Style,
): string[] {
  const label = (text: string): string => style('dim', text.padEnd(9));
  const lines = forkLines(rollouts, label);
  const counting = rollouts.flatMap(({ replay }) =>
    replay === null || replay.mode === 'fork' ? [] : [replay],
  );
  const ids = [...new Set(counting.map(({ replayId }) => replayId))];
  const many = (n: number): string => (n === 1 ? '1 rollout counts' : `${n} rollouts count`);
  if (counting.length > 0)
    lines.push(`${label('replayed')} ${many(counting.length)} by a replay: ${shown(ids)}`);
  if (replays.length > 0) {
    const cost = replays.reduce<number | null>(
      (sum, { costUsd }) => (costUsd === null ? sum : (sum ?? 0) + costUsd),
      null,
    );
    const names = replays.map(({ taskId, sample, attempt }) => `${taskId}/${sample} attempt ${attempt}`);
    const also = counting.length > 0 ? 'also' : 'replayed';
    lines.push(
      `${label(also)} ${replays.length} beside, not counted: ${shown(names)}${cost === null ? '' : ` · ${dollars(cost)}`}`,
    );
  }
  const rejected = reviews.filter(({ resolution }) => resolution.as === 'rejected');
  if (rejected.length > 0) {
    const names = shown(rejected.map(({ rolloutId }) => rolloutId));
    lines.push(style('yellow', `rejected on review, still in the scores above: ${names}`));
  }
  return lines;
}

/** The run of a fork says what it continues. */
function forkLines(rollouts: readonly RolloutResult[], label: (text: string) => string): string[] {
  const forks = rollouts.flatMap(({ replay }) => (replay?.mode === 'fork' ? [replay] : []));
  const from = forks.map(({ source, fromTurn }) => {
    const { runId, taskId, sample } = source;
    return `${runId}/${taskId}/${sample} after turn ${fromTurn}`;
  });
  return from.length === 0 ? [] : [`${label('forked')} from ${shown([...new Set(from)])}`];
}

function shown(names: readonly string[]): string {
  const rest = names.length > NAMES_SHOWN ? `, and ${names.length - NAMES_SHOWN} more` : '';
  return names.slice(0, NAMES_SHOWN).map(escapeTerminalLine).join(', ') + rest;
}
