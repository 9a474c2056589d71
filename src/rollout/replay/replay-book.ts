import type { ReplayOpening } from '../../core/run/workflow-messages.js';
import { readClosedRun, writeSummary } from '../../records/write-summary.js';
import { keys } from '../../store/keys.js';
import { mapBounded } from '../../store/map-bounded.js';
import { putRecordIfAbsent } from '../../store/records/records.js';
import { closedReplaySchema } from '../../store/records/replay.schema.js';
import { readReplay, readReplayResult } from '../../store/replays.js';
import { openRun } from '../books/run-book.js';
import type { RolloutDeps } from '../deps.js';

/** Members that one stretch of a replay's history takes. */
const PAGE = 200;

/** The members of a replay that have no result yet, and how they are worked off: as the run's own rollouts. */
export async function openReplay(deps: RolloutDeps, runId: string, replayId: string): Promise<ReplayOpening> {
  const [{ members }, { concurrency, policy }] = await Promise.all([
    readReplay(deps.store, runId, replayId),
    openRun(deps, { runId, incarnation: 1 }),
  ]);
  const open: ReplayOpening['open'] = [];
  const results = mapBounded(members, ({ taskId, sample, nth }) =>
    readReplayResult(deps.store, { runId, taskId, sample }, { replayId, nth }),
  );
  for await (const { item, result } of results) {
    const { taskId, sample, nth } = item;
    if (result === null) open.push({ taskId, sample, nth });
    if (open.length > PAGE) break;
  }
  return {
    total: members.length,
    open: open.slice(0, PAGE),
    more: open.length > PAGE,
    concurrency,
    policy,
  };
}

/** Ends a replay; a closed run's summary is told what counts now. */
export async function closeReplay(
  deps: RolloutDeps,
  runId: string,
  replayId: string,
  status: 'finished' | 'cancelled',
): Promise<void> {
  await putRecordIfAbsent(deps.store, closedReplaySchema, keys.replayClosed(runId, replayId), {
    schemaVersion: 1,
    status,
    closedAt: deps.now(),
  });
  const closed = await readClosedRun(deps.store, runId);
  if (closed === null) return;
  await deps.recorder.runEnded(runId);
  await writeSummary(deps.store, runId, closed.status);
}
