import { LongrunError } from '../core/errors.js';
import { groupedBy } from '../core/lists/grouped-by.js';
import { taskSchema } from '../core/rollout/task.schema.js';
import { isScripted } from '../model/index.js';
import { keys } from '../store/keys.js';
import { putRecordIfAbsent } from '../store/records/records.js';
import { type Plan, planSchema, type RunRecord, runRecordSchema } from '../store/records/records.schema.js';
import { forkOriginSchema, type ReplayMember, type ReplayRecord } from '../store/records/replay.schema.js';
import { readRun, readTask } from '../store/runs.js';
import type { ArtifactStore } from '../store/store.js';

/**
 * Writes the run that holds the continuations of a fork: the source's settings and tasks, one sample per
 * continuation, each with the turn that it goes on from. Put-if-absent throughout, the plan last.
 */
export async function writeFork(
  store: ArtifactStore,
  record: ReplayRecord,
  longrunVersion: string,
): Promise<{ run: RunRecord; plan: Plan }> {
  const runId = record.forkRunId;
  if (runId === null) throw new LongrunError('internal', `replay ${record.replayId} is no fork`);
  const source = await readRun(store, record.runId);
  const { value: run } = await putRecordIfAbsent(store, runRecordSchema, keys.run(runId), {
    ...source,
    runId,
    // Continuations from different turns share no baseline.
    mode: 'evaluate',
    config: {
      ...source.config,
      groupSize: null,
      groups: null,
      samples: record.request.times,
      seed: forkSeed(source, record.replayId),
    },
    createdAt: record.createdAt,
    longrunVersion,
  });
  const byTask = groupedBy(record.members, ({ taskId }) => taskId);
  for (const [taskId, members] of byTask) {
    await putRecordIfAbsent(
      store,
      taskSchema,
      keys.task(runId, taskId),
      await readTask(store, record.runId, taskId),
    );
    await writeOrigins(store, record, runId, members);
  }
  const { value: plan } = await putRecordIfAbsent(store, planSchema, keys.plan(runId), {
    schemaVersion: 1,
    tasks: [...byTask].map(([taskId, members]) => ({ taskId, samples: members.length })),
  });
  return { run, plan };
}

async function writeOrigins(
  store: ArtifactStore,
  { replayId, runId }: ReplayRecord,
  forkRunId: string,
  members: readonly ReplayMember[],
): Promise<void> {
  const leaders = new Map<number, number>();
  for (const [sample, member] of members.entries()) {
    const leader = leaders.get(member.sample) ?? sample;
    leaders.set(member.sample, leader);
    const { taskId, nth, sourceAttempt, fromTurn } = member;
    await putRecordIfAbsent(store, forkOriginSchema, keys.forkOrigin({ runId: forkRunId, taskId, sample }), {
      schemaVersion: 1,
      replayId,
      mode: 'fork',
      nth,
      source: { runId, taskId, sample: member.sample, attempt: sourceAttempt },
      fromTurn,
      leader,
    });
  }
}

/** Other seeds than the source's, and than those of its other forks; none where the source had none. */
function forkSeed({ config }: RunRecord, replayId: string): number | null {
  const scripted = config.model !== null && isScripted(config.model);
  if (config.seed === null && !scripted) return null;
  const offset = [...replayId].reduce((hash, char) => (hash * 31 + char.charCodeAt(0)) % 1_000_003, 7);
  return (config.seed ?? 0) + config.samples + offset;
}
