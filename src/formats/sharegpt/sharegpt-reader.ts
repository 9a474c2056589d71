import type { Episode } from '../../core/trajectory/episode.schema.js';
import { unrecordedTurn } from '../episode.js';
import { type ImportFormat, type InputRow, type RowPlace, rowByRow } from '../import-format.js';
import { importedEpisode } from '../imported-episode.js';
import { timestepsOf } from '../messages-of.js';
import { ended } from '../rows/ended.js';
import { readFields } from '../rows/own-fields.js';
import { completedOf, foreignFields, rewardOf } from '../rows/row-facts.js';
import { groupOfPrompt } from './prompt-index.js';
import { readConversations } from './read-conversations.js';
import { parseTimestamp } from './timestamp.js';
import { restoreArguments } from './unparsed-arguments.js';

/** Reads ShareGPT rows, both variants, ours and those of other tools. */
export const shareGptReader: ImportFormat = {
  name: 'sharegpt',
  matches: (row) => Array.isArray(row.conversations),
  open: rowByRow(readRow),
};

/** What a row has in either variant. */
const COLUMNS: ReadonlySet<string> = new Set([
  'conversations',
  'id',
  'timestamp',
  'model',
  'completed',
  'reward',
  'metadata',
  'prompt_index',
  'partial',
  'api_calls',
  'toolsets_used',
  'tool_stats',
  'tool_error_counts',
]);

function readRow(row: InputRow, place: RowPlace): Episode {
  const { messages, tools, unread } = readConversations(row.conversations);
  const { facts, status, sessionId } = readFields(row.metadata);
  const own = restoreArguments(messages, facts.metadata);
  const reward = rewardOf(row);
  const fields = { ...foreignFields(row, COLUMNS), ...own };
  const timesteps = ended(timestepsOf(messages, tools), reward);
  const named = typeof row.id === 'string' ? row.id : null;
  return importedEpisode('sharegpt', place, {
    ...facts,
    metadata: unread.length === 0 ? fields : { ...fields, unread_tool_calls: unread },
    sessionId: sessionId ?? named,
    groupId: Number.isSafeInteger(row.prompt_index) ? groupOfPrompt(row.prompt_index as number) : null,
    model: typeof row.model === 'string' && row.model !== '' ? row.model : null,
    finishedAt: parseTimestamp(row.timestamp),
    trajectory: { timesteps, resetKwargs: {}, errorInfo: null, episodeId: sessionId, schemaVersion: 1 },
    turns: timesteps.map(unrecordedTurn),
    completed: completedOf(row),
    reward,
    outcome: { status, ...(typeof row.api_calls === 'number' ? { apiCalls: row.api_calls } : {}) },
  });
}
