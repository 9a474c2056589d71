import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../src/tasks/environment.js';
import { type HarborEnvironmentOptions, harborEnvironment } from '../src/tasks/harbor-environment.js';

type BuiltInOptions = Pick<HarborEnvironmentOptions, 'selection' | 'hostEnv'>;

/** The environments that come with longrun, by name; each has a folder here. */
export const builtInEnvironments: Readonly<Record<string, (options: BuiltInOptions) => Environment>> = {
  tblite: (options) =>
    harborEnvironment({ name: 'tblite', source: 'builtin', folder: tasksOf('tblite'), ...options }),
};

/** Task folders are not compiled: seen from dist/environments they stay in the package's environments/. */
function tasksOf(name: string): string {
  const here = fileURLToPath(new URL(`./${name}/tasks`, import.meta.url));
  return existsSync(here)
    ? here
    : fileURLToPath(new URL(`../../environments/${name}/tasks`, import.meta.url));
}
