import { z } from 'zod';
import { type KeySchema, withFileKeys } from './file-keys.js';
import { settingTable } from './setting-table.js';
import { settingsSchema } from './settings.schema.js';

/** JSON Schema of longrun.yaml, for editors and for `longrun schema config`. */
export function configFileJsonSchema(): Record<string, unknown> {
  const all = z.toJSONSchema(settingsSchema, { io: 'input' }) as {
    properties: Record<string, KeySchema>;
  };
  const properties: Record<string, unknown> = { $schema: { type: 'string' } };
  for (const { name, fileKey } of settingTable()) {
    if (fileKey !== null) properties[fileKey] = withFileKeys(all.properties[name] ?? {});
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'longrun.yaml',
    description: 'Settings of longrun evaluate. Flags and environment variables win over this file.',
    type: 'object',
    additionalProperties: false,
    properties,
  };
}
