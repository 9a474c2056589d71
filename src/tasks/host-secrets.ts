import type { Task } from '../core/rollout/task.schema.js';
import { redact } from '../core/text/redact.js';
import { askedVariables } from './asked-variables.js';
import type { HostEnv } from './passed-env.js';
import { hostValue } from './resolve-env.js';

/**
 * Text without what the host's environment gave to a task: it is going to be stored, and a sandbox
 * that prints its environment must not put a key into a record.
 */
export function withoutHostValues(text: string, task: Task, host: HostEnv): string {
  return redact(
    text,
    askedVariables(task).flatMap(({ variable }) => hostValue(host, variable) ?? []),
  );
}
