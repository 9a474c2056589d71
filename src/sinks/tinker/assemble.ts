import { LongrunError } from '../../core/errors.js';
import type { Episode } from '../../core/trajectory/episode.schema.js';
import { episodesOfGroup } from '../../records/episodes-of-group.js';
import { readGroup } from '../../store/groups.js';
import type { GroupRecord } from '../../store/records/group.schema.js';
import type { RunRecord } from '../../store/records/records.schema.js';
import type { ArtifactStore } from '../../store/store.js';
import { closeBatch } from '../../trajectories/process/close-batch.js';
import type { FedGroup } from '../sink.js';
import { type GroupDatums, groupDatums } from './group-datums.js';
import { datumProblem, type GroupProblem } from './judge.js';
import type { BatchGroup } from './ledger.schema.js';

export interface AssembledGroup {
  group: BatchGroup;
  record: GroupRecord;
  found: GroupDatums;
  /** Why it cannot be in the batch after all; never of a batch that was decided. */
  problem: GroupProblem | null;
}

/**
 * The groups of a batch with their datums: the same from the same judgement, whoever asks and whenever. Estimators
 * that need a batch have this one. `fed`: the groups, where they were just read.
 */
export async function assemble(
  store: ArtifactStore,
  run: RunRecord,
  groups: readonly BatchGroup[],
  fed: readonly FedGroup[] | null,
): Promise<AssembledGroup[]> {
  const records = fed?.map(({ record }) => record) ?? (await recordsOf(store, run, groups));
  const read = new Map(fed?.map(({ record, episodes }) => [record.groupId, episodes]));
  const closed = await closeBatch(
    store,
    run,
    records,
    async (record) => read.get(record.groupId) ?? (await episodesOfGroup(store, run, record)),
  );
  return closed.map(({ record, episodes, problem }, i) => {
    const group = groups[i] as BatchGroup;
    const masked = episodes.map((episode) => withMasks(episode, group));
    const found = groupDatums(record, masked, run.config.serve?.maxTokenLength ?? null);
    return { group, record, found, problem: problem ?? datumProblem(found, true) };
  });
}

async function recordsOf(
  store: ArtifactStore,
  { runId }: RunRecord,
  groups: readonly BatchGroup[],
): Promise<GroupRecord[]> {
  const records: GroupRecord[] = [];
  for (const { taskId, index } of groups) {
    const record = await readGroup(store, { runId, taskId, index });
    if (record === null)
      throw new LongrunError('not_found', `group ${runId}/${taskId}/${index} of a batch has no record`, {
        hint: 'Something other than longrun removed it.',
      });
    records.push(record);
  }
  return records;
}

/** Masked is what was when the batch was decided, whatever policies have come since. */
function withMasks(episode: Episode, { members }: BatchGroup): Episode {
  const judged = members.find(({ sample }) => sample === episode.rollout?.sample);
  const masked = new Set(judged?.maskedTurns ?? []);
  return { ...episode, turns: episode.turns.map((turn, i) => ({ ...turn, masked: masked.has(i) })) };
}
