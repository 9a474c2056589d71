import type { Episode } from '../core/trajectory/episode.schema.js';

/** Every tool that an episode was offered or called. */
export function toolNames({ trajectory }: Episode): Set<string> {
  const names = new Set<string>();
  for (const { availableToolSchemas, chats } of trajectory.timesteps) {
    for (const schema of availableToolSchemas ?? []) {
      const name = nameOf(schema);
      if (name !== null) names.add(name);
    }
    for (const message of chats.flatMap((chat) => chat.messages)) {
      if (message.role !== 'assistant') continue;
      for (const call of message.toolCalls) names.add(call.function.name);
    }
  }
  return names;
}

/** Of a schema as OpenAI wraps it, or bare. */
function nameOf(schema: Readonly<Record<string, unknown>>): string | null {
  const { name } = (schema.function ?? schema) as { name?: unknown };
  return typeof name === 'string' ? name : null;
}
