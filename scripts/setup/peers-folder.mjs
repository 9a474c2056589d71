import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './root.mjs';

export const STAMP = '.installed';
export const PACKAGES = {
  requirements: join(ROOT, 'test/peers/requirements.txt'),
  constraints: join(ROOT, 'test/peers/constraints.txt'),
  noDeps: join(ROOT, 'test/peers/requirements-no-deps.txt'),
};

/** Where the Python environment of this set of packages is, or would be. */
export function peersFolder() {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const hash = createHash('sha256');
  for (const file of Object.values(PACKAGES)) hash.update(readFileSync(file)).update('\0');
  return join(cache, 'longrun', `peers-${hash.digest('hex').slice(0, 16)}`);
}

/** The Python of a finished environment, or null. */
export function installedPython() {
  const folder = peersFolder();
  const python = join(folder, 'bin', 'python');
  return existsSync(join(folder, STAMP)) && existsSync(python) ? python : null;
}

/** The versions of Python that the packages take, best first: `3.12`. */
export function wantedPythons() {
  const [, versions = ''] = /^# python: (.*)$/m.exec(readFileSync(PACKAGES.requirements, 'utf8')) ?? [];
  return versions.split(' ');
}

export function noPython() {
  const [first, ...others] = wantedPythons();
  return `there is no Python ${[first, ...others].join(' or ')}: install python${first} with its venv module, or set LONGRUN_SKIP_TIERS=peers`;
}
