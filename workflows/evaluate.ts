import type { RunInput } from '../src/core/run/workflow-messages.js';
import { conductRun } from './conduct-run.js';

/** A run of mode `evaluate`: single rollouts. */
export async function evaluate(input: RunInput): Promise<void> {
  await conductRun(input);
}
