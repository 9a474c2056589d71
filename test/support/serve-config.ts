import { type ServeConfig, serveConfigSchema } from '../../src/core/run/serve-config.schema.js';

/** What the settings of a run say about feeding trainers, with no sink but those that are given. */
export function serveConfig(changes: Partial<ServeConfig>): ServeConfig {
  return serveConfigSchema.parse({
    atropos: null,
    listen: null,
    tinker: null,
    jsonl: null,
    hostId: null,
    ...changes,
  });
}
