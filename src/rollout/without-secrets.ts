import { withoutHostValues } from '../tasks/host-secrets.js';
import type { AttemptContext } from './attempt-context.js';

/** Neither a record nor the model is told the host's values of the task's variables. */
export function withoutSecrets({ task, stepSpec }: AttemptContext, content: string): string {
  const tables = [task.metadata.sandbox.env, stepSpec.verifier.env, stepSpec.solutionEnv];
  return withoutHostValues(content, tables, process.env);
}
