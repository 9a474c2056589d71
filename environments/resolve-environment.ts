import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { badInput } from '../src/core/errors.js';
import { closest } from '../src/core/text/closest.js';
import type { Environment } from '../src/tasks/environment.js';
import { harborEnvironment } from '../src/tasks/harbor-environment.js';
import { isPrompts, promptsEnvironment } from '../src/tasks/prompts/prompts-environment.js';
import type { TaskSelection } from '../src/tasks/select-tasks.js';
import { builtInEnvironments } from './index.js';

/**
 * What the user named: a built-in environment, a task folder or a folder of tasks. A name without
 * a slash is looked for among the built-in ones first. Error: `bad_input`.
 */
export async function resolveEnvironment(
  named: string,
  options: { selection?: TaskSelection } = {},
): Promise<Environment> {
  const builtIn = Object.hasOwn(builtInEnvironments, named) ? builtInEnvironments[named] : undefined;
  if (builtIn !== undefined) return builtIn(options);
  if (isPrompts(named)) return promptsEnvironment({ source: named, ...options });
  const stats = await stat(named).catch(() => null);
  if (stats === null) throw unknownEnvironment(named);
  const folder = resolve(named);
  return harborEnvironment({ name: basename(folder), source: folder, folder, ...options });
}

function unknownEnvironment(named: string) {
  const names = Object.keys(builtInEnvironments);
  const meant = named.includes('/') ? null : closest(named, names);
  const exists = `Built in: ${names.join(', ')}; or name a task folder or a folder of tasks.`;
  const hint = meant === null ? exists : `Did you mean ${meant}? ${exists}`;
  return badInput(`${named} is neither an environment nor a folder`, hint, { found: named, accepted: names });
}
