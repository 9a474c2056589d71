import type { Episode } from '../../core/trajectory/episode.schema.js';
import { unrecordedTurn } from '../episode.js';
import { type ImportFormat, type InputRow, type RowPlace, rowByRow } from '../import-format.js';
import { importedEpisode } from '../imported-episode.js';
import { timestepsOf } from '../messages-of.js';
import { ended } from '../rows/ended.js';
import { readFields } from '../rows/own-fields.js';
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

function readRow(row: InputRow, place: RowPlace): Episode {
  const { messages, tools, unread } = readConversations(row.conversations);
  const { facts, status, sessionId } = readFields(row.metadata);
  const own = restoreArguments(messages, facts.metadata);
  const reward = typeof row.reward === 'number' ? row.reward : null;
  const timesteps = ended(timestepsOf(messages, tools), reward);
  const named = typeof row.id === 'string' ? row.id : null;
  return importedEpisode('sharegpt', place, {
    ...facts,
    metadata: unread.length === 0 ? own : { ...own, unread_tool_calls: unread },
    sessionId: sessionId ?? named,
    groupId: Number.isSafeInteger(row.prompt_index) ? groupOfPrompt(row.prompt_index as number) : null,
    model: typeof row.model === 'string' && row.model !== '' ? row.model : null,
    finishedAt: parseTimestamp(row.timestamp),
    trajectory: { timesteps, resetKwargs: {}, errorInfo: null, episodeId: sessionId, schemaVersion: 1 },
    turns: timesteps.map(unrecordedTurn),
    // A row of another tool that does not say is a sample like any other.
    completed: row.completed !== false,
    reward,
    outcome: { status, ...(typeof row.api_calls === 'number' ? { apiCalls: row.api_calls } : {}) },
  });
}
