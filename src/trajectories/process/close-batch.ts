import { BATCH_ESTIMATORS, ESTIMATORS, type GroupAdvantages } from '../../core/advantage/index.js';
import { LongrunError } from '../../core/errors.js';
import type { Episode } from '../../core/trajectory/episode.schema.js';
import { withAdvantages } from '../../formats/advantages.js';
import { episodesOfGroup } from '../../records/episodes-of-group.js';
import { readAdvantageGroup } from '../../records/read-group.js';
import type { GroupRecord } from '../../store/records/group.schema.js';
import type { RunRecord } from '../../store/records/records.schema.js';
import type { ArtifactStore } from '../../store/store.js';
import type { ClosedGroup } from './group-rows.js';

/** A group of such a run has no advantages by itself, only in a batch. */
export const needsBatch = ({ config }: RunRecord): boolean => BATCH_ESTIMATORS.includes(config.estimator);

/** Closed groups with their rollouts, one batch for estimators that normalise over several. */
export async function closeBatch(
  store: ArtifactStore,
  run: RunRecord,
  records: readonly GroupRecord[],
  episodesOf = (record: GroupRecord): Promise<Episode[]> => episodesOfGroup(store, run, record),
): Promise<ClosedGroup[]> {
  const valid = records.filter((record) => record.valid);
  const { advantages, problem } = needsBatch(run)
    ? await batchAdvantages(store, run, valid)
    : { advantages: null, problem: null };
  const closed: ClosedGroup[] = [];
  const ownOf = new Map(valid.map((record, i) => [record, advantages?.[i]]));
  for (const record of records) {
    const episodes = await episodesOf(record);
    const own = ownOf.get(record);
    const group = { record, episodes, problem: record.valid ? problem : null };
    closed.push(own === undefined ? group : withOwn(group, own, run.config.gamma));
  }
  return closed;
}

async function batchAdvantages(
  store: ArtifactStore,
  { config, ...run }: RunRecord,
  records: readonly GroupRecord[],
): Promise<{ advantages: GroupAdvantages[] | null; problem: ClosedGroup['problem'] }> {
  const groups = [];
  for (const record of records) groups.push(await readAdvantageGroup(store, { ...run, config }, record));
  try {
    return { advantages: ESTIMATORS[config.estimator](groups, { gamma: config.gamma }), problem: null };
  } catch (error) {
    // One that is left over at the end, or rewards that the estimator cannot take: no reason to lose the rest.
    if (!LongrunError.is(error, 'bad_input')) throw error;
    return { advantages: null, problem: { rule: 'no_advantages', reason: error.message } };
  }
}

/** The advantages of the batch, in the record and in the timesteps. */
function withOwn(
  { record, episodes, problem }: ClosedGroup,
  own: GroupAdvantages,
  gamma: number,
): ClosedGroup {
  const bySample = new Map(record.members.map(({ sample }, i) => [sample, own[i] ?? null]));
  const members = record.members.map((member) => ({
    ...member,
    advantages:
      bySample.get(member.sample)?.map((step) => (typeof step === 'number' ? step : [...step])) ?? null,
  }));
  return {
    problem,
    record: { ...record, members },
    episodes: episodes.map((episode) => {
      const advantages = bySample.get(episode.rollout?.sample ?? -1) ?? null;
      const timesteps = withAdvantages(episode.trajectory.timesteps, advantages, gamma);
      return { ...episode, trajectory: { ...episode.trajectory, timesteps } };
    }),
  };
}
