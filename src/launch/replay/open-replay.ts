import { userInfo } from 'node:os';
import { badInput } from '../../core/errors.js';
import { type GroupKey, groupId } from '../../core/ids.js';
import { checkModel } from '../../model/index.js';
import { readClosedRun } from '../../records/write-summary.js';
import { createReplay, findOpenReplay, planReplay } from '../../replay/create-replay.js';
import type { LeftOut, Selection } from '../../replay/select-members.js';
import { writeFork } from '../../replay/write-fork.js';
import { spentSoFar } from '../../rollout/calls/spent-so-far.js';
import { newRunId } from '../../runs/run-id.js';
import { groupKeyOf, readGroup } from '../../store/groups.js';
import { openStore } from '../../store/index.js';
import { mapBounded } from '../../store/map-bounded.js';
import type { RunRecord } from '../../store/records/records.schema.js';
import type { ReplayRecord, ReplayRequest } from '../../store/records/replay.schema.js';
import { listReplays } from '../../store/replays.js';
import { readRun } from '../../store/runs.js';
import type { ArtifactStore } from '../../store/store.js';

export interface ReplayAsked {
  stateDir: string;
  env: NodeJS.ProcessEnv;
  runId: string;
  request: ReplayRequest;
  longrunVersion: string;
  now: () => number;
}

export interface OpenedReplay {
  run: RunRecord;
  replay: ReplayRecord;
  leftOut: LeftOut[];
  /** Closed groups that its members belong to: their records stay as they are. */
  closedGroups: number;
  /** False when an earlier command of the same words has left it open: it is carried on. */
  created: boolean;
}

/** What a request would do; reads only. Throws `bad_input` and `not_found`. */
export async function previewReplay({
  stateDir,
  env,
  runId,
  request,
}: Pick<ReplayAsked, 'stateDir' | 'env' | 'runId' | 'request'>): Promise<{
  selection: Selection;
  carriesOn: string | null;
}> {
  const store = await openStore(stateDir, env);
  const run = await readRun(store, runId);
  const open = await findOpenReplay(store, runId, request);
  if (open !== null) return { selection: { members: open.members, leftOut: [] }, carriesOn: open.replayId };
  return { selection: await planReplay(store, run, request), carriesOn: null };
}

/** Puts a replay into the store, or finds the open one of the same words. Nothing runs yet. */
export async function openReplayFor(asked: ReplayAsked): Promise<OpenedReplay> {
  const { stateDir, env, runId, request, longrunVersion, now } = asked;
  const store = await openStore(stateDir, env);
  const run = await readRun(store, runId);
  const open = await findOpenReplay(store, runId, request);
  if (open !== null) {
    if (open.forkRunId !== null) await writeFork(store, open, longrunVersion);
    return { run, replay: open, leftOut: [], closedGroups: 0, created: false };
  }
  const selection = await planReplay(store, run, request);
  if (request.mode !== 'verify' && run.config.agent === 'tool-calling') await checkModel(run.config, env);
  if (request.mode === 'rerun' || request.mode === 'resume') await refuseSpent(store, run);
  const identity = { replayId: newRunId(request.mode, now()), by: userName(), now: now() };
  const replay = await createReplay(store, run, request, selection, identity);
  if (replay.forkRunId !== null) await writeFork(store, replay, longrunVersion);
  const closedGroups = await countClosedGroups(store, run, replay);
  return { run, replay, leftOut: selection.leftOut, closedGroups, created: true };
}

/** What was handed on with a group's advantages was computed from the attempts of then; a fork is a run of its own. */
async function countClosedGroups(
  store: ArtifactStore,
  run: RunRecord,
  { members, forkRunId }: ReplayRecord,
): Promise<number> {
  if (forkRunId !== null) return 0;
  const groups = new Map<string, GroupKey>();
  for (const { taskId, sample } of members) {
    const key = groupKeyOf(run, taskId, sample);
    if (key !== null) groups.set(groupId(key), key);
  }
  let closed = 0;
  for await (const { result } of mapBounded(groups.values(), (key) => readGroup(store, key)))
    if (result !== null) closed += 1;
  return closed;
}

/** New attempts are paid for by the run: one whose budget is spent would hold them back for good. */
async function refuseSpent(store: ArtifactStore, { runId, config }: RunRecord): Promise<void> {
  const { budgetTokens, budgetUsd } = config;
  if (budgetTokens === null && budgetUsd === null) return;
  const { tokens, costUsd } = await spentSoFar(store, runId);
  if (
    tokens < (budgetTokens ?? Number.POSITIVE_INFINITY) &&
    costUsd < (budgetUsd ?? Number.POSITIVE_INFINITY)
  )
    return;
  throw badInput(
    `The budget of run ${runId} is spent: ${tokens} tokens, ${costUsd.toFixed(2)} USD.`,
    `Raise it with: longrun runs set ${runId} (--budget-tokens or --budget-usd); or use --mode verify, which asks no model, or --mode fork, whose run has a budget of its own.`,
  );
}

/** The replays of a run that are not closed; forks are runs of their own. */
export async function openReplays(store: ArtifactStore, runId: string): Promise<ReplayRecord[]> {
  const all = await listReplays(store, runId);
  return all.flatMap(({ record, closed }) => (closed === null && record.forkRunId === null ? [record] : []));
}

/** Of a run that has ended: what is still to be carried on. An open run is carried on itself. */
export async function openReplaysOfClosedRun(
  stateDir: string,
  runId: string,
  env: NodeJS.ProcessEnv,
): Promise<{ run: RunRecord; replays: ReplayRecord[] }> {
  const store = await openStore(stateDir, env);
  const run = await readRun(store, runId);
  const closed = (await readClosedRun(store, runId)) !== null;
  return { run, replays: closed ? await openReplays(store, runId) : [] };
}

/** Who asks, for records; a user without a name in the system's tables has a number. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
