import { createReplay, findOpenReplay, planReplay } from '../../src/replay/create-replay.js';
import { type ReplayReport, reportReplay } from '../../src/replay/report-replay.js';
import type { ReplayRecord, ReplayRequest } from '../../src/store/records/replay.schema.js';
import { readClosedReplay } from '../../src/store/replays.js';
import { readRun } from '../../src/store/runs.js';
import type { ArtifactStore } from '../../src/store/store.js';
import { ReplayClient } from '../../src/temporal/replay-client.js';
import type { LongrunHost } from './longrun-host.js';
import { until } from './until.js';

let made = 0;

/** A request that asks for nothing special. */
export function request(changes: Partial<ReplayRequest> = {}): ReplayRequest {
  return {
    mode: 'rerun',
    failed: false,
    stopReasons: [],
    tasks: [],
    rollouts: [],
    includeSealed: false,
    fromTurn: null,
    times: 1,
    ...changes,
  };
}

/** Puts a replay of a run into the store, as the command does, without starting it. */
export async function planned(
  store: ArtifactStore,
  runId: string,
  changes: Partial<ReplayRequest>,
): Promise<ReplayRecord> {
  const run = await readRun(store, runId);
  const asked = request(changes);
  const open = await findOpenReplay(store, runId, asked);
  if (open !== null) return open;
  made += 1;
  const identity = { replayId: `${asked.mode}-${made}`, by: 'tester', now: Date.now() };
  return createReplay(store, run, asked, await planReplay(store, run, asked), identity);
}

/** Starts a replay that is in the store and waits for its end. */
export async function finished(host: LongrunHost, replay: ReplayRecord): Promise<ReplayReport> {
  const { runId, replayId } = replay;
  await new ReplayClient(host.client, host.store).start(runId, replayId);
  await until(async () => (await readClosedReplay(host.store, runId, replayId)) !== null, {
    what: `replay ${replayId} is closed`,
  });
  return reportReplay(host.store, await readRun(host.store, runId), replay);
}

/** Replays rollouts of a run and waits for the end. */
export async function replays(
  host: LongrunHost,
  runId: string,
  changes: Partial<ReplayRequest>,
): Promise<ReplayReport> {
  return finished(host, await planned(host.store, runId, changes));
}
