import type { TrajectoryMessage } from './trajectory.schema.js';

/** The fields of a message as they stand on disk. */
export type MessageField =
  | 'role'
  | 'content'
  | 'label'
  | 'reasoning'
  | 'tool_calls'
  | 'tool_call_id'
  | 'name';
export type MessageDict = { [field in MessageField]?: unknown };

/** A message in snake case, as agoge writes it and chat templates read it. */
export function messageDict(message: TrajectoryMessage, exclude: readonly MessageField[] = []): MessageDict {
  const dict = snakeCase(message) as MessageDict;
  for (const field of exclude) delete dict[field];
  return dict;
}

/** Every name in a message is declared: none of its keys are data. */
function snakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCase);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [snakeName(key), snakeCase(inner)]);
  return Object.fromEntries(entries);
}

const snakeName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
