import type { Episode } from '../../core/trajectory/episode.schema.js';
import type { TimeStep, TrajectoryMessage } from '../../core/trajectory/trajectory.schema.js';

/** JSON Schema of the arguments by name of the tool; null where none is given. */
export type OfferedTools = ReadonlyMap<string, Record<string, unknown> | null>;

/** What each timestep newly says, and the tools that were offered then; null where none were ever named. */
export function* offeredTools(
  episode: Episode,
): Generator<{ turn: number; messages: TrajectoryMessage[]; tools: OfferedTools | null }> {
  let tools: OfferedTools | null = null;
  for (const [turn, step] of episode.trajectory.timesteps.entries()) {
    tools = toolsOf(step) ?? tools;
    yield { turn, messages: step.chats.flatMap((chat) => chat.messages), tools };
  }
}

function toolsOf({ availableToolSchemas }: TimeStep): OfferedTools | null {
  if (availableToolSchemas === null) return null;
  return new Map(availableToolSchemas.flatMap(toolOf));
}

/** As OpenAI wraps it, bare, or with Anthropic's name for the schema. */
function toolOf(schema: Readonly<Record<string, unknown>>): [string, Record<string, unknown> | null][] {
  const { name, parameters, input_schema } = (schema.function ?? schema) as Record<string, unknown>;
  const given = parameters ?? input_schema;
  const usable = typeof given === 'object' && given !== null && !Array.isArray(given);
  return typeof name === 'string' ? [[name, usable ? (given as Record<string, unknown>) : null]] : [];
}
