import type { RunInput } from '../src/core/run/workflow-messages.js';
import { conductRun } from './conduct-run.js';

/** A run of mode `process`: rollouts in groups. What else sets it apart is in the store. */
export async function process(input: RunInput): Promise<void> {
  await conductRun(input);
}
