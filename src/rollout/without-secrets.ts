import { withoutHostValues } from '../tasks/host-secrets.js';
import type { AttemptContext } from './attempt-context.js';

/** Neither a record nor the model is told the host's values of the task's variables. */
export function withoutSecrets(
  { deps, run, task }: Pick<AttemptContext, 'deps' | 'run' | 'task'>,
  content: string,
): string {
  return withoutHostValues(content, task, deps.hostEnvOf(run));
}
