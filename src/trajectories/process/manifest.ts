import { readGroup } from '../../store/groups.js';
import { keys } from '../../store/keys.js';
import { readRecord } from '../../store/records/records.js';
import {
  type Plan,
  placementSchema,
  type RunRecord,
  runRecordSchema,
} from '../../store/records/records.schema.js';
import { readTask } from '../../store/runs.js';
import type { ArtifactStore } from '../../store/store.js';
import { toWire } from '../../store/wire/wire.js';

/** Which code wrote an output. */
export interface Revision {
  longrunVersion: string;
  /** Of the checkout that longrun runs from; null where it is installed as a package. */
  gitCommit: string | null;
}

/** `manifest.json`: how the rows came to be, as far as it is not in the rows. */
export async function manifestOf(
  store: ArtifactStore,
  run: RunRecord,
  plan: Plan,
  { revision, options }: { revision: Revision; options: Record<string, unknown> },
): Promise<Record<string, unknown>> {
  const tasks = [];
  for (const planned of plan.tasks) tasks.push(await taskOf(store, run, planned));
  const { seed } = run.config;
  return {
    schema_version: 1,
    run_id: run.runId,
    mode: run.mode,
    created_at: new Date(run.createdAt).toISOString(),
    code: { longrun_version: revision.longrunVersion, git_commit: revision.gitCommit },
    run_longrun_version: run.longrunVersion,
    environment: { name: run.environment.name, source: run.environment.source },
    config: toWire(runRecordSchema.shape.config, run.config),
    output: options,
    seeds: { base: seed, of_a_rollout: seed === null ? null : 'base + sample' },
    tasks,
  };
}

async function taskOf(
  store: ArtifactStore,
  run: RunRecord,
  { taskId, samples }: Plan['tasks'][number],
): Promise<Record<string, unknown>> {
  const { metadata } = await readTask(store, run.runId, taskId);
  const { image } = metadata.sandbox;
  return {
    task_id: taskId,
    groups: samples / (run.config.groupSize ?? 1),
    digest: metadata.source.digest,
    source: { kind: metadata.source.kind, path: metadata.source.path },
    image:
      image.kind === 'image'
        ? { kind: 'image', name: image.name }
        : { kind: 'dockerfile', context_sha256: image.context.sha256 },
    ran_on: await imageUsed(store, run, taskId),
  };
}

/** The image as the sandbox driver names it, of the first group; null before that is closed. */
async function imageUsed(store: ArtifactStore, { runId }: RunRecord, taskId: string): Promise<string | null> {
  const group = await readGroup(store, { runId, taskId, index: 0 });
  for (const { sample, attempt } of group?.members ?? []) {
    if (attempt === null) continue;
    const key = keys.placement({ runId, taskId, sample, attempt });
    const placement = await readRecord(store, placementSchema, key);
    if (placement !== null) return placement.image;
  }
  return null;
}
