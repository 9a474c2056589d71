import { badInput } from '../../core/errors.js';
import type { Episode } from '../../core/trajectory/episode.schema.js';
import type { TrajectoryMessage } from '../../core/trajectory/trajectory.schema.js';
import { unrecordedTurn } from '../episode.js';
import { type ImportFormat, type InputRow, type RowPlace, rowByRow } from '../import-format.js';
import { importedEpisode } from '../imported-episode.js';
import { parseJson } from '../json-spacing.js';
import { timestepsOf } from '../messages-of.js';
import { type OfferedTool, readTools } from '../offered-tools.js';
import { ended } from '../rows/ended.js';
import { readFields } from '../rows/own-fields.js';
import { completedOf, foreignFields, rewardOf } from '../rows/row-facts.js';
import { readMessage } from './read-message.js';

/** Reads rows of OpenAI chat messages, ours and those of other tools. */
export const messagesReader: ImportFormat = {
  name: 'messages',
  matches: (row) => Array.isArray(row.messages),
  open: rowByRow(readRow),
};

const COLUMNS: ReadonlySet<string> = new Set([
  'messages',
  'tools',
  'id',
  'model',
  'completed',
  'reward',
  'metadata',
]);

function readRow(row: InputRow, place: RowPlace): Episode {
  if (!Array.isArray(row.messages)) throw badInput('messages: found no list of messages');
  const messages = withNames(row.messages.map((message, i) => readMessage(message, `messages.${i}`)));
  const { facts, status, sessionId } = readFields(row.metadata);
  const reward = rewardOf(row);
  const timesteps = ended(timestepsOf(messages, toolsOf(row.tools)), reward);
  return importedEpisode('messages', place, {
    ...facts,
    metadata: { ...foreignFields(row, COLUMNS), ...facts.metadata },
    sessionId: sessionId ?? (typeof row.id === 'string' ? row.id : null),
    model: typeof row.model === 'string' && row.model !== '' ? row.model : null,
    trajectory: { timesteps, resetKwargs: {}, errorInfo: null, episodeId: sessionId, schemaVersion: 1 },
    turns: timesteps.map(unrecordedTurn),
    completed: completedOf(row),
    reward,
    outcome: { status },
  });
}

/** Results need not name their tool: the call with their id does. */
function withNames(messages: TrajectoryMessage[]): TrajectoryMessage[] {
  const names = new Map<string, string>();
  return messages.map((message) => {
    if (message.role === 'assistant')
      for (const { id, function: called } of message.toolCalls) names.set(id, called.name);
    if (message.role !== 'tool' || message.name !== '') return message;
    return { ...message, name: names.get(message.toolCallId) ?? 'unknown' };
  });
}

/** A list, or the JSON text of one. */
function toolsOf(found: unknown): OfferedTool[] {
  const list = typeof found === 'string' ? parseJson(found) : found;
  return Array.isArray(list) ? readTools(list) : [];
}
