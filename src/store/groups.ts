import { groupIndexOf, groupsOf } from '../core/group/group-plan.js';
import { type GroupKey, groupId } from '../core/ids.js';
import { keys } from './keys.js';
import { mapBounded } from './map-bounded.js';
import { type GroupRecord, groupRecordSchema } from './records/group.schema.js';
import { readRecord } from './records/records.js';
import type { Plan, RunRecord } from './records/records.schema.js';
import type { ArtifactStore } from './store.js';

/** The record of a group; null while it is open. */
export function readGroup(
  store: ArtifactStore,
  { runId, taskId, index }: GroupKey,
): Promise<GroupRecord | null> {
  return readRecord(store, groupRecordSchema, keys.group(runId, taskId, index));
}

/** The group that a rollout belongs to; null where rollouts stand alone. */
export function groupKeyOf(run: RunRecord, taskId: string, sample: number): GroupKey | null {
  const { groupSize } = run.config;
  return groupSize === null ? null : { runId: run.runId, taskId, index: groupIndexOf(sample, groupSize) };
}

/** The groups that a run's plan has, in the order in which they are worked off; none where rollouts stand alone. */
export function plannedGroups({ runId, config }: RunRecord, plan: Plan): GroupKey[] {
  if (config.groupSize === null) return [];
  return groupsOf(plan.tasks, config.groupSize).map((group) => ({ runId, ...group }));
}

/**
 * The closed groups of a run as they appear. `poll` answers those that are new since the last time, in the order
 * of their closing; `known` are ids of groups that were seen before, by an earlier process. A poll lists the
 * folders of the tasks with open groups and reads what is new.
 */
export class GroupFeed {
  private readonly open: Map<string, Map<string, GroupKey>>;

  constructor(
    private readonly store: ArtifactStore,
    run: RunRecord,
    plan: Plan,
    known: Iterable<string> = [],
  ) {
    const seen = new Set(known);
    this.open = new Map();
    for (const key of plannedGroups(run, plan)) {
      if (seen.has(groupId(key))) continue;
      const name = keys.group(key.runId, key.taskId, key.index);
      const folder = name.slice(0, name.lastIndexOf('/'));
      const byName = this.open.get(folder) ?? new Map<string, GroupKey>();
      this.open.set(folder, byName.set(name.slice(folder.length + 1), key));
    }
  }

  /** Every planned group was answered. */
  get done(): boolean {
    return this.open.size === 0;
  }

  async poll(): Promise<GroupRecord[]> {
    const found: GroupRecord[] = [];
    const list = (folder: string) => this.store.children(folder);
    for await (const { item: folder, result: names } of mapBounded([...this.open.keys()], list)) {
      const open = this.open.get(folder) as Map<string, GroupKey>;
      const fresh = names.filter((name) => open.has(name));
      const read = (name: string) => readRecord(this.store, groupRecordSchema, `${folder}/${name}`);
      for await (const { item, result } of mapBounded(fresh, read)) {
        if (result === null) continue;
        open.delete(item);
        found.push(result);
      }
      if (open.size === 0) this.open.delete(folder);
    }
    return found.sort((a, b) => a.closedAt - b.closedAt || (a.groupId < b.groupId ? -1 : 1));
  }
}

/** The groups of a run that are closed, in the order of their closing. */
export function readGroups(store: ArtifactStore, run: RunRecord, plan: Plan): Promise<GroupRecord[]> {
  return new GroupFeed(store, run, plan).poll();
}
