import { type Episode, episodeSchema } from '../core/trajectory/episode.schema.js';
import type { ExportFormat } from '../formats/export-format.js';
import { type ImportFormat, rowByRow } from '../formats/import-format.js';
import { fromWire, toWire } from '../store/wire/wire.js';

/** One episode a line, with everything in it: what the `traj` commands pass on to each other. */
export const longrunFormat: ExportFormat = {
  name: 'longrun',
  unit: 'episode',
  layout: 'lines',
  usesTools: false,
  rows: (episodes) => ({
    rows: episodes.map((episode) => ({ file: null, value: toWire(episodeSchema, episode, 'the episode') })),
    refused: [],
  }),
};

/** Reads such rows back. */
export const longrunReader: ImportFormat = {
  name: 'longrun',
  matches: (row) => typeof row.session_id === 'string' && 'trajectory' in row && Array.isArray(row.turns),
  open: rowByRow((row) => fromWire(episodeSchema, row, 'the row')),
};

/** The line of an episode in a `longrun` file, without the line feed. */
export function episodeLine(episode: Episode): string {
  return JSON.stringify(toWire(episodeSchema, episode, 'the episode'));
}
