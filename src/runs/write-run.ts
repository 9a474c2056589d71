import { badInput } from '../core/errors.js';
import { planGroups } from '../core/group/group-plan.js';
import { type Task, taskSchema } from '../core/rollout/task.schema.js';
import type { RunConfig } from '../core/run/run-config.schema.js';
import { putBlob } from '../store/blobs.js';
import { keys } from '../store/keys.js';
import { mapBounded } from '../store/map-bounded.js';
import { putRecordIfAbsent, readRecord } from '../store/records/records.js';
import { type Plan, planSchema, type RunRecord, runRecordSchema } from '../store/records/records.schema.js';
import type { ArtifactStore } from '../store/store.js';
import { toWire } from '../store/wire/wire.js';
import type { LoadedTask } from '../tasks/environment.js';

export interface WrittenRun {
  run: RunRecord;
  plan: Plan;
  /** False when the run was there already, with the same settings: it is carried on. */
  created: boolean;
}

/**
 * Puts a run into the store: its record first, which claims the id, its plan last, which makes it
 * complete. Each put is put-if-absent, so a launch that was killed half-way is finished by the next.
 * Throws `bad_input` naming the differences when the id belongs to a run with other settings.
 */
export async function writeRun(
  store: ArtifactStore,
  run: RunRecord,
  tasks: readonly LoadedTask[],
): Promise<WrittenRun> {
  const plan: Plan = {
    schemaVersion: 1,
    tasks: plannedTasks(tasks, run.config),
  };
  const claimed = await putRecordIfAbsent(store, runRecordSchema, keys.run(run.runId), run);
  if (!claimed.won) {
    refuseDifference(run.runId, differences(claimed.value, run));
    const known = await readRecord(store, planSchema, keys.plan(run.runId));
    if (known) {
      refuseDifference(run.runId, planDifferences(known, plan));
      return { run: claimed.value, plan: known, created: false };
    }
  }
  const planned = new Set(plan.tasks.map(({ taskId }) => taskId));
  const used = tasks.filter(({ task }) => planned.has(task.taskId));
  for await (const _ of mapBounded(used, (loaded) => writeTask(store, run.runId, loaded), 4)) {
    // Written in the order of the plan, a few at a time: each may hold a large archive.
  }
  const written = await putRecordIfAbsent(store, planSchema, keys.plan(run.runId), plan);
  return { run: claimed.value, plan: written.value, created: claimed.won };
}

/** With more groups than tasks the tasks are cycled; a run that serves comes to its samples as it goes on. */
function plannedTasks(tasks: readonly LoadedTask[], config: RunConfig): Plan['tasks'] {
  const ids = tasks.map(({ task }) => task.taskId);
  if (config.serve !== null)
    return ids.slice(0, config.groups ?? ids.length).map((taskId) => ({ taskId, samples: 0 }));
  return config.groupSize === null
    ? ids.map((taskId) => ({ taskId, samples: config.samples }))
    : planGroups(ids, config.groups, config.groupSize);
}

async function writeTask(store: ArtifactStore, runId: string, { task, blobs }: LoadedTask): Promise<void> {
  for (const [sha256, make] of blobs) {
    // The task's record comes last and so vouches for its blobs.
    if (await store.has(keys.blob(sha256))) continue;
    await putBlob(store, await make());
  }
  await putRecordIfAbsent<typeof taskSchema>(
    store,
    taskSchema,
    keys.task(runId, task.taskId),
    task satisfies Task,
  );
}

function differences(before: RunRecord, now: RunRecord): string[] {
  const flat = (run: RunRecord): Record<string, unknown> => ({
    environment: run.environment.name,
    source: run.environment.source,
    ...(toWire(runRecordSchema.shape.config, anywhere(run.config)) as Record<string, unknown>),
  });
  const [old, fresh] = [flat(before), flat({ ...now, config: sinceThen(before.config, now.config) })];
  const names = [...new Set([...Object.keys(old), ...Object.keys(fresh)])];
  return names
    .filter((name) => JSON.stringify(old[name]) !== JSON.stringify(fresh[name]))
    .map((name) => `${name} was ${JSON.stringify(old[name])}, now ${JSON.stringify(fresh[name])}`);
}

/** A run that serves is carried on from any terminal: which host has its folders and ports was settled at its start. */
function anywhere({ serve, ...config }: RunConfig): RunConfig {
  return { ...config, serve: serve === null ? null : { ...serve, hostId: null } };
}

/** A run of before there were lists of what is allowed is carried on without them. */
function sinceThen(before: RunConfig, now: RunConfig): RunConfig {
  const { passEnv, serve } = now;
  const policyOrigins = before.serve?.policyOrigins === null ? null : (serve?.policyOrigins ?? null);
  return {
    ...now,
    passEnv: before.passEnv === null ? null : passEnv,
    serve: serve === null ? null : { ...serve, policyOrigins },
  };
}

function planDifferences(before: Plan, now: Plan): string[] {
  const ids = (plan: Plan): Set<string> => new Set(plan.tasks.map(({ taskId }) => taskId));
  const [old, fresh] = [ids(before), ids(now)];
  const gone = [...old].filter((id) => !fresh.has(id));
  const added = [...fresh].filter((id) => !old.has(id));
  const some = (list: string[]): string => list.slice(0, 3).join(', ') + (list.length > 3 ? ', …' : '');
  return [
    ...(gone.length > 0 ? [`${gone.length} tasks are not selected any more (${some(gone)})`] : []),
    ...(added.length > 0 ? [`${added.length} tasks were added (${some(added)})`] : []),
  ];
}

function refuseDifference(runId: string, found: string[]): void {
  if (found.length === 0) return;
  throw badInput(
    `run ${runId} exists with other settings: ${found.join('; ')}.`,
    `Carry it on as it is with: longrun runs resume ${runId}; or choose another --run-id.`,
    { runId, differences: found },
  );
}
