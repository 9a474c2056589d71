import { builtInEnvironments } from '../../environments/index.js';
import { LongrunError } from '../core/errors.js';
import type { RunRecord } from '../store/records/records.schema.js';
import type { Environment } from '../tasks/environment.js';
import { harborEnvironment } from '../tasks/harbor-environment.js';
import type { HostEnv } from '../tasks/passed-env.js';
import { isPrompts, promptsEnvironment } from '../tasks/prompts/prompts-environment.js';

/** The environment that scores a run's tasks. The tasks themselves are in the store: their folder may be gone. */
export function environmentForRun(
  { environment: { name, source } }: Pick<RunRecord, 'environment'>,
  hostEnv: HostEnv,
): Environment {
  if (isPrompts(source)) return promptsEnvironment({ source });
  if (source !== 'builtin') return harborEnvironment({ name, source, folder: source, hostEnv });
  const builtIn = Object.hasOwn(builtInEnvironments, name) ? builtInEnvironments[name] : undefined;
  if (builtIn !== undefined) return builtIn({ hostEnv });
  throw new LongrunError('not_found', `this version of longrun has no environment ${name}`, {
    hint: 'run a worker of the version that started the run',
  });
}
