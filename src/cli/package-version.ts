import { readFileSync } from 'node:fs';

/** The version in package.json: two folders up from sources, three from dist. */
export function packageVersion(): string {
  for (const path of ['../../package.json', '../../../package.json']) {
    try {
      return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')).version;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return 'unknown';
}
