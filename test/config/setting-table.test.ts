import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { configFileJsonSchema } from '../../src/config/file-json-schema.js';
import { settingTable } from '../../src/config/setting-table.js';
import { type SettingName, settingsSchema } from '../../src/config/settings.schema.js';

describe('the table of settings', () => {
  const table = settingTable();
  const row = (name: SettingName) => table.find((candidate) => candidate.name === name);

  it('holds every setting of the schema once', () => {
    expect(table.map((r) => r.name).sort()).toEqual(Object.keys(settingsSchema.shape).sort());
  });

  it('derives flag, variable, key, range and default', () => {
    expect(row('maxAttempts')).toMatchObject({
      flag: '--max-attempts',
      env: 'LONGRUN_MAX_ATTEMPTS',
      fileKey: 'max_attempts',
      kind: 'integer',
      accepted: 'a whole number from 1 to 20',
      fallback: 3,
    });
    expect(row('network')).toMatchObject({
      choices: ['none', 'public'],
      placeholder: 'access',
      fallback: null,
    });
    expect(row('stateDir')?.env).toBe('LONGRUN_HOME');
  });

  it('describes every setting', () => {
    expect(table.filter((r) => r.description === '')).toEqual([]);
  });
});

describe('the JSON Schema of longrun.yaml', () => {
  it('spells keys as the file does, inside maps too', () => {
    const schema = configFileJsonSchema() as {
      properties: Record<string, object>;
      additionalProperties: boolean;
    };
    expect(schema.additionalProperties).toBe(false);
    expect(schema.properties).toHaveProperty('max_turns.minimum', 1);
    expect(schema.properties).toHaveProperty('prices.additionalProperties.properties.cached_input');
    expect(schema.properties).not.toHaveProperty('json');
  });

  it('accepts what the file accepts', () => {
    const check = z.fromJSONSchema(configFileJsonSchema() as Parameters<typeof z.fromJSONSchema>[0]);
    expect(check.safeParse({ model: 'm', samples: 3, task: ['a'] }).success).toBe(true);
    expect(check.safeParse({ sampels: 3 }).success).toBe(false);
    expect(check.safeParse({ samples: 'x' }).success).toBe(false);
  });
});
