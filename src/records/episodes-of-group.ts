import type { Episode } from '../core/trajectory/episode.schema.js';
import type { GroupRecord } from '../store/records/group.schema.js';
import type { RunRecord } from '../store/records/records.schema.js';
import type { ArtifactStore } from '../store/store.js';
import { readEpisode } from './episodes-of-run.js';
import { readMemberResult } from './read-group.js';

/**
 * The members of a closed group in the order of their samples, each the attempt that the record counts, with its
 * advantages. Errors: `not_found` where a trajectory is gone.
 */
export async function episodesOfGroup(
  store: ArtifactStore,
  run: RunRecord,
  { taskId, members }: GroupRecord,
): Promise<Episode[]> {
  const episodes: Episode[] = [];
  for (const member of members) {
    const result = await readMemberResult(store, run.runId, taskId, member);
    if (result !== null) episodes.push(await readEpisode(store, run, result));
  }
  return episodes;
}
