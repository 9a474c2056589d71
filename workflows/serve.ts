import type { RunInput } from '../src/core/run/workflow-messages.js';
import { conductRun } from './conduct-run.js';

/**
 * A run of mode `serve`: groups for trainers, for as long as they train. Its partitions are shifts; how far it may go
 * is the word of its sinks, which are activities of it.
 */
export async function serve(input: RunInput): Promise<void> {
  await conductRun(input);
}
