import { readFile } from 'node:fs/promises';
import { badInput } from '../core/errors.js';

const REFERENCE = /^(env|file):(.+)$/s;

/** A key that stands in the settings itself, null where it is a reference or absent: logs must not have it. */
export function literalKey(setting: string | null): string | null {
  return setting === null || REFERENCE.test(setting) ? null : setting;
}

/** The environment variable that a setting names, null where it names none. */
export function keyVariable(setting: string | null): string | null {
  const [, kind, name = null] = REFERENCE.exec(setting ?? '') ?? [];
  return kind === 'env' ? name : null;
}

/** What a person is told whose settings hold the key itself. */
export const LITERAL_KEY =
  'trajectory.upload_api_key holds the key itself: better is env:NAME or file:PATH. It is used, and written nowhere.';

/** The key that the setting means. Throws `bad_input` for a variable that is not set and a file that cannot be read. */
export async function readUploadKey(setting: string | null, env: NodeJS.ProcessEnv): Promise<string | null> {
  const [, kind, name = ''] = REFERENCE.exec(setting ?? '') ?? [];
  if (kind === undefined) return setting;
  if (kind === 'env') {
    const value = env[name];
    if (value) return value;
    throw badInput(`trajectory.upload_api_key: the environment variable ${name} is not set.`);
  }
  try {
    return (await readFile(name, 'utf8')).trim();
  } catch (error) {
    throw badInput(`trajectory.upload_api_key: ${name} cannot be read: ${(error as Error).message}.`);
  }
}
