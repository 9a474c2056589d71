import { previewReplay } from '../../launch/replay/open-replay.js';
import { renderTable } from '../../report/table.js';
import type { ReplayRequest } from '../../store/records/replay.schema.js';
import type { CommandContext } from '../command-context.js';
import { lookOf } from '../look.js';
import { printJson, printLines } from '../print.js';
import { leftOutLines } from './replay-lines.js';

/** `longrun replay --dry-run`: what would be replayed, and what not and why. */
export async function previewCommand(
  { io, json, stateDir }: CommandContext,
  runId: string,
  request: ReplayRequest,
): Promise<void> {
  const { selection, carriesOn } = await previewReplay({ stateDir, env: io.env, runId, request });
  const { members, leftOut } = selection;
  if (json) {
    return printJson(io, {
      dry_run: true,
      run_id: runId,
      mode: request.mode,
      carries_on: carriesOn,
      members: members.map(({ taskId, sample, nth, sourceAttempt, fromTurn }) => ({
        rollout_id: `${runId}/${taskId}/${sample}`,
        nth,
        source_attempt: sourceAttempt,
        from_turn: fromTurn,
      })),
      left_out: leftOut.map(({ taskId, sample, reason }) => ({
        rollout_id: `${runId}/${taskId}/${sample}`,
        reason,
      })),
    });
  }
  const { style, columns } = lookOf(io);
  const rows = members.map(({ taskId, sample, nth, sourceAttempt, fromTurn }) => [
    `${taskId}/${sample}`,
    String(nth),
    sourceAttempt === 0 ? 'never started' : `attempt ${sourceAttempt}`,
    startOf(request, fromTurn),
  ]);
  const layout = [
    { title: 'rollout', flexible: true },
    { title: 'n', align: 'right' as const },
    { title: 'source' },
    { title: request.mode },
  ];
  printLines(io, [
    ...renderTable(layout, rows, Math.min(columns, 100), style),
    ...leftOutLines(leftOut),
    carriesOn === null
      ? 'Nothing was changed.'
      : `Nothing was changed; without --dry-run it carries on ${carriesOn}.`,
  ]);
}

function startOf({ mode }: ReplayRequest, fromTurn: number | null): string {
  if (mode === 'verify') return 'tests only';
  return fromTurn === null ? 'from the start' : `after turn ${fromTurn}`;
}
