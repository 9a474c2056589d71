import { readGroups } from '../../src/store/groups.js';
import type { GroupRecord } from '../../src/store/records/group.schema.js';
import { readPlan, readRun } from '../../src/store/runs.js';
import type { ArtifactStore } from '../../src/store/store.js';

/** The closed groups of a run, in the order of their closing. */
export async function groupsIn(store: ArtifactStore, runId: string): Promise<GroupRecord[]> {
  return readGroups(store, await readRun(store, runId), await readPlan(store, runId));
}

/** Of its members, in order. */
export const rewardsOf = ({ members }: GroupRecord): (number | null)[] => members.map(({ reward }) => reward);
