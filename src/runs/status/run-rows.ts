import type { Client } from '@temporalio/client';
import { z } from 'zod';
import type { EndpointView } from '../../core/endpoint/messages.js';
import { LongrunError } from '../../core/errors.js';
import { RUN_MODES } from '../../core/ids.js';
import { isScripted } from '../../model/index.js';
import { endpointName } from '../../model/limits/endpoint-name.js';
import { buildRunDocument } from '../../records/document.js';
import type { RunDocument, RunSummary } from '../../records/summary.js';
import { openStore } from '../../store/index.js';
import { keys } from '../../store/keys.js';
import { mapBounded } from '../../store/map-bounded.js';
import { readRecord } from '../../store/records/records.js';
import { planSchema, type RunRecord } from '../../store/records/records.schema.js';
import { listRuns, readRun } from '../../store/runs.js';
import type { ArtifactStore } from '../../store/store.js';
import { readEndpointView } from '../../temporal/endpoint-keeper.js';
import type { RunClient } from '../../temporal/run-client.js';
import { joinSession, type SessionOptions } from '../session.js';
import { runStanding } from './run-status.js';
import { withServing } from './serve-status.js';

/** One line of `runs list`. */
export const runRowSchema = z.object({
  runId: z.string(),
  status: z.string(),
  mode: z.enum(RUN_MODES),
  environment: z.string(),
  model: z.string().nullable(),
  agent: z.string(),
  createdAt: z.number(),
  nRollouts: z.number().int(),
  nDone: z.number().int(),
  passAt1: z.number().nullable(),
  meanReward: z.number().nullable(),
  costUsd: z.number().nullable(),
  /** The run that serves whose API was asked for it; null for those that were launched. */
  requestedBy: z.string().nullable(),
});
export type RunRow = z.infer<typeof runRowSchema>;

/** The newest runs with their scores. Joins a cluster that runs, to ask for states, but starts none. */
export async function listRunRows(options: SessionOptions & { limit: number }): Promise<RunRow[]> {
  return await withStore(options, async (store, runs) => {
    const newest = (await listRuns(store)).slice(0, options.limit);
    const rows: RunRow[] = [];
    for await (const { result } of mapBounded(newest, (run) => readRow(store, runs, run), 4))
      rows.push(result);
    return rows;
  });
}

/** The document of a run with its state as the cluster tells it, where one runs. */
export async function readRunDocument(options: SessionOptions, runId: string): Promise<RunDocument> {
  return await withStore(options, async (store, runs, client) => {
    const run = await readRun(store, runId);
    const { status, progress } = await runStanding(store, runs, runId);
    const { reason = null, detail = null } = progress ?? {};
    const built = await buildRunDocument(store, runId, status, reason, detail);
    const document = await withServing(store, built);
    const endpoint = client === null || document.summary.nOpen === 0 ? null : await endpointOf(client, run);
    return endpoint === null ? document : { ...document, endpoint };
  });
}

/** Models that are scripted have none that could be told of. */
async function endpointOf(client: Client, { config }: RunRecord): Promise<EndpointView | null> {
  const { agent, model } = config;
  if (agent !== 'tool-calling' || model === null || isScripted(model)) return null;
  return await readEndpointView(client, endpointName(config));
}

async function readRow(store: ArtifactStore, runs: RunClient | null, run: RunRecord): Promise<RunRow> {
  const { status, summary } = await readScores(store, runs, run.runId);
  return {
    runId: run.runId,
    status,
    mode: run.mode,
    environment: run.environment.name,
    model: run.config.model,
    agent: run.config.agent,
    createdAt: run.createdAt,
    nRollouts: summary?.nRollouts ?? 0,
    nDone: summary ? summary.nRollouts - summary.nOpen : 0,
    passAt1: summary?.passAt['1']?.estimate ?? null,
    meanReward: summary?.meanReward ?? null,
    costUsd: summary?.costUsd ?? null,
    requestedBy: run.requestedBy?.runId ?? null,
  };
}

/** A launch that was killed before its plan was written has left a run without rollouts. */
async function readScores(
  store: ArtifactStore,
  runs: RunClient | null,
  runId: string,
): Promise<{ status: string; summary: RunSummary | null }> {
  if ((await readRecord(store, planSchema, keys.plan(runId))) === null)
    return { status: 'not planned', summary: null };
  const { status } = await runStanding(store, runs, runId);
  return { status, summary: (await buildRunDocument(store, runId, status)).summary };
}

async function withStore<T>(
  options: SessionOptions,
  use: (store: ArtifactStore, runs: RunClient | null, client: Client | null) => Promise<T>,
): Promise<T> {
  const session = await joinSession(options).catch(withoutCluster);
  if (session === null) return await use(await openStore(options.stateDir, options.env), null, null);
  try {
    return await use(session.store, session.runs, session.client);
  } finally {
    await session.close();
  }
}

/** The store holds all that was achieved: a cluster that is away, or just leaving, hides none of it. */
function withoutCluster(error: unknown): null {
  if (LongrunError.is(error, 'temporal_unreachable')) return null;
  throw error;
}
