import { z } from 'zod';
import { type KeySchema, withFileKeys } from './file-keys.js';
import { fileSettingsSchema } from './file-settings.schema.js';
import { fileSettingTable } from './setting-table.js';

/** JSON Schema of longrun.yaml, for editors and for `longrun schema config`. */
export function configFileJsonSchema(): Record<string, unknown> {
  const all = z.toJSONSchema(fileSettingsSchema, { io: 'input' }) as {
    properties: Record<string, KeySchema>;
  };
  const properties: Record<string, unknown> = { $schema: { type: 'string' } };
  for (const { name, fileKey } of fileSettingTable()) {
    if (fileKey !== null) properties[fileKey] = withFileKeys(all.properties[name] ?? {});
  }
  properties.agent = agentSchema(all.properties);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'longrun.yaml',
    description:
      'Settings of longrun evaluate, longrun process and longrun serve. Flags and environment variables win over this file.',
    type: 'object',
    additionalProperties: false,
    properties,
  };
}

/** In the file the agent is its name, or a mapping that has it. */
function agentSchema({ agent, saveTrajectories }: Record<string, KeySchema>): Record<string, unknown> {
  const { default: _default, description, ...name } = agent as Record<string, unknown>;
  const keys = { name, kind: name, save_trajectories: saveTrajectories };
  return {
    description,
    default: _default,
    anyOf: [name, { type: 'object', additionalProperties: false, properties: keys }],
  };
}
