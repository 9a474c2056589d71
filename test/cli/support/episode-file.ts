import { writeFile } from 'node:fs/promises';
import type { Episode } from '../../../src/core/trajectory/episode.schema.js';
import { episodeLine } from '../../../src/trajectories/longrun-format.js';

/** Writes episodes, one a line, as the `traj` commands pass them on. */
export async function episodeFile(path: string, episodes: readonly Episode[]): Promise<string> {
  await writeFile(path, episodes.map((episode) => `${episodeLine(episode)}\n`).join(''));
  return path;
}
