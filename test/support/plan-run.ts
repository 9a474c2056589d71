import { planGroups } from '../../src/core/group/group-plan.js';
import { taskSchema } from '../../src/core/rollout/task.schema.js';
import type { RunConfig } from '../../src/core/run/run-config.schema.js';
import { keys } from '../../src/store/keys.js';
import { putRecordIfAbsent } from '../../src/store/records/records.js';
import { planSchema, runRecordSchema } from '../../src/store/records/records.schema.js';
import type { ArtifactStore } from '../../src/store/store.js';
import type { LoadedTask } from '../../src/tasks/environment.js';
import { RUN_CONFIG } from './run-config-defaults.js';

/** Writes a run into the store, as the launch does, without starting it; with a `groupSize` one of mode `process`, with `serve`, too, of mode `serve`. */
export async function planRun(
  store: ArtifactStore,
  runId: string,
  tasks: LoadedTask[],
  config: Partial<RunConfig> = {},
): Promise<void> {
  const full = { ...DEFAULTS, ...config };
  for (const { task, blobs } of tasks) {
    for (const [sha256, load] of blobs) await store.putIfAbsent(keys.blob(sha256), await load());
    await putRecordIfAbsent(store, taskSchema, keys.task(runId, task.taskId), task);
  }
  const ids = tasks.map(({ task }) => task.taskId);
  const plan =
    full.serve !== null
      ? ids.map((taskId) => ({ taskId, samples: 0 }))
      : full.groupSize === null
        ? ids.map((taskId) => ({ taskId, samples: full.samples }))
        : planGroups(ids, full.groups, full.groupSize);
  await putRecordIfAbsent(store, planSchema, keys.plan(runId), { schemaVersion: 1, tasks: plan });
  await putRecordIfAbsent(store, runRecordSchema, keys.run(runId), {
    schemaVersion: 1,
    runId,
    mode: full.serve !== null ? 'serve' : full.groupSize === null ? 'evaluate' : 'process',
    environment: { name: 'test', source: '/nowhere' },
    config: full,
    createdAt: Date.now(),
    longrunVersion: '0.0.0',
  });
}

const DEFAULTS: RunConfig = { ...RUN_CONFIG, contextPolicy: 'history-view', seed: 1 };
