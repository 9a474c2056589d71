import { trajectorySchema } from '../core/trajectory/trajectory.schema.js';
import { unrecordedTurn } from '../formats/episode.js';
import { type ImportFormat, rowByRow } from '../formats/import-format.js';
import { importedEpisode } from '../formats/imported-episode.js';
import { fromWire } from '../store/wire/wire.js';

/** Reads agoge's `trajectory.json`, as the store keeps one per rollout, and files with one a line. */
export const agogeReader: ImportFormat = {
  name: 'agoge',
  matches: (row) => Array.isArray(row.timesteps),
  open: rowByRow((row, place) => {
    const trajectory = fromWire(trajectorySchema, row, 'the trajectory');
    const last = trajectory.timesteps.at(-1);
    return importedEpisode('agoge', place, {
      sessionId: trajectory.episodeId,
      trajectory,
      turns: trajectory.timesteps.map(unrecordedTurn),
      completed: trajectory.errorInfo === null && last?.done === true,
      reward: last?.reward ?? null,
    });
  }),
};
