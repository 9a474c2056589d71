import type { Episode } from '../core/trajectory/episode.schema.js';
import { isJsonObject } from './json-spacing.js';

/** A tool that a model could call; `parameters` is JSON Schema. */
export interface OfferedTool {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

/** Every tool that was offered, in the order of the first offers; the last offer of a name counts. */
export function offeredTools({ trajectory }: Episode): OfferedTool[] {
  const tools = new Map<string, OfferedTool>();
  const schemas = trajectory.timesteps.flatMap((step) => step.availableToolSchemas ?? []);
  for (const tool of readTools(schemas)) tools.set(tool.name, tool);
  return [...tools.values()];
}

/** Tools as OpenAI wraps them (`{ type, function }`), or bare; what is neither is left out. */
export function readTools(list: readonly unknown[]): OfferedTool[] {
  return list.flatMap((entry) => {
    const tool = isJsonObject(entry) && isJsonObject(entry.function) ? entry.function : entry;
    const { name, description, parameters } = isJsonObject(tool) ? tool : {};
    if (typeof name !== 'string') return [];
    return [
      {
        name,
        description: typeof description === 'string' ? description : '',
        parameters: isJsonObject(parameters) ? parameters : {},
      },
    ];
  });
}
