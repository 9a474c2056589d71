import type { ServeConfig } from '../../core/run/serve-config.schema.js';
import { checkFolder } from '../../trajectories/process/growing-output.js';
import type { Revision } from '../../trajectories/process/manifest.js';
import { ledgerOptions, type OutputOptions } from '../../trajectories/process/process-output.js';
import { rowFormat } from '../../trajectories/row-formats.js';

/** What the rows of `--jsonl` are like: as `longrun process` writes them without further options. Errors: `bad_input`. */
export function jsonlOptions(serve: ServeConfig, revision: Revision): OutputOptions {
  return {
    folder: serve.jsonl ?? '',
    formats: [...new Set(serve.formats)].map((name) => rowFormat(name)),
    filters: [],
    keepNoReasoning: false,
    keepZeroVariance: serve.keepZeroVariance,
    batchGroups: Math.max(2, serve.batchGroups),
    batchSize: null,
    force: false,
    revision,
  };
}

/**
 * Before a run starts: whether it may write to its folder; `runId` is null for one that has no name yet. Errors:
 * `already_exists`, `bad_input`.
 */
export async function checkJsonlFolder(serve: ServeConfig, runId: string | null): Promise<void> {
  const options = jsonlOptions(serve, { longrunVersion: '', gitCommit: null });
  await checkFolder(options.folder, { options: ledgerOptions(options) }, runId);
}
