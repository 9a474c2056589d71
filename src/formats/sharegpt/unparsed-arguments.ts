import type { Episode } from '../../core/trajectory/episode.schema.js';
import type { TrajectoryMessage } from '../../core/trajectory/trajectory.schema.js';
import { isJsonObject, parseJson } from '../json-spacing.js';
import { ownFields } from '../rows/own-fields.js';

/** Where the texts are kept, in the `metadata` of a row: JSON text of a list of calls. */
export const UNPARSED_KEY = 'unparsed_arguments';

/** A call whose arguments are no JSON object: its block in the row has `{}`. */
export interface UnparsedArguments {
  tool_call_id: string;
  name: string;
  arguments: string;
}

export const isArguments = (text: string): boolean => isJsonObject(parseJson(text));

/** No text at all is a call without arguments. */
export function unparsedArguments(messages: readonly TrajectoryMessage[]): UnparsedArguments[] {
  return callsOf(messages)
    .filter((call) => call.function.arguments.trim() !== '' && !isArguments(call.function.arguments))
    .map(({ id, function: { name, arguments: text } }) => ({ tool_call_id: id, name, arguments: text }));
}

/** A row's own fields, with the texts that it does not carry otherwise. */
export function fieldsWith(
  episode: Episode,
  unparsed: readonly UnparsedArguments[],
): Record<string, unknown> {
  const own = ownFields(episode);
  return unparsed.length === 0 ? own : { ...own, [UNPARSED_KEY]: unparsed };
}

/** Puts the texts back into the messages of a row, by id, else by name; answers the fields without them. */
export function restoreArguments(
  messages: readonly TrajectoryMessage[],
  { [UNPARSED_KEY]: found, ...fields }: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const list = typeof found === 'string' ? parseJson(found) : found;
  const empty = callsOf(messages).filter((call) => call.function.arguments === '{}');
  for (const kept of Array.isArray(list) ? list.filter(isJsonObject) : []) {
    const call =
      empty.find(({ id }) => id === kept.tool_call_id) ??
      empty.find((open) => open.function.name === kept.name && open.function.arguments === '{}');
    if (call && typeof kept.arguments === 'string') call.function.arguments = kept.arguments;
  }
  return fields;
}

const callsOf = (messages: readonly TrajectoryMessage[]) =>
  messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []));
