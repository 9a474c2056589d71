import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { LongrunError } from '../src/core/errors.js';
import type { RunRecord } from '../src/store/records.schema.js';
import type { Environment } from '../src/tasks/environment.js';
import { type HarborEnvironmentOptions, harborEnvironment } from '../src/tasks/harbor-environment.js';

type BuiltInOptions = Pick<HarborEnvironmentOptions, 'selection' | 'hostEnv'>;

/** The environments that come with longrun, by name; each has a folder here. */
export const builtInEnvironments: Readonly<Record<string, (options: BuiltInOptions) => Environment>> = {
  tblite: (options) =>
    harborEnvironment({ name: 'tblite', source: 'builtin', folder: tasksOf('tblite'), ...options }),
};

/** The environment that a run was started with; a folder is read only when tasks are asked for. */
export function environmentForRun(run: Pick<RunRecord, 'environment'>): Environment {
  const { name, source } = run.environment;
  if (source !== 'builtin') return harborEnvironment({ name, source, folder: source });
  const builtIn = Object.hasOwn(builtInEnvironments, name) ? builtInEnvironments[name] : undefined;
  if (builtIn !== undefined) return builtIn({});
  throw new LongrunError('not_found', `This longrun has no environment called ${name}.`, {
    hint: 'Use the version that the run was started with.',
  });
}

/** Task folders are not compiled: seen from dist/environments they stay in the package's environments/. */
function tasksOf(name: string): string {
  const here = fileURLToPath(new URL(`./${name}/tasks`, import.meta.url));
  return existsSync(here)
    ? here
    : fileURLToPath(new URL(`../../environments/${name}/tasks`, import.meta.url));
}
