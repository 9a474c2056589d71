import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { BASE_IMAGE } from '../core/base-image.js';
import { SECOND_MS } from '../core/time.js';
import type { PrerequisiteReport } from './prerequisite-report.js';

const ANSWER_LIMIT_MS = 5 * SECOND_MS;

/** Asks the engine itself: a client on PATH proves nothing. */
export async function checkEngine(): Promise<PrerequisiteReport> {
  const name = 'Docker engine';
  try {
    const { Version: version, Arch: arch } = await new Docker({ timeout: ANSWER_LIMIT_MS }).version();
    return { name, status: 'ok', found: `version ${version} (${arch})`, fix: null };
  } catch (error) {
    const denied = (error as NodeJS.ErrnoException).code === 'EACCES';
    return {
      name,
      status: 'missing',
      found: denied ? 'the engine refuses this user' : 'no engine answers',
      fix: denied
        ? 'Add the user to the group `docker` and log in again.'
        : 'Install Docker (Debian, Ubuntu: `apt-get install docker.io`) and start it, or set DOCKER_HOST.',
    };
  }
}

export async function checkBubblewrap(): Promise<PrerequisiteReport> {
  const name = 'bubblewrap';
  const run = promisify(execFile);
  try {
    const { stdout } = await run('bwrap', ['--version'], { timeout: ANSWER_LIMIT_MS });
    // Installed is not enough: user namespaces may be switched off.
    const sandbox = ['--unshare-all', '--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', 'true'];
    await run('bwrap', sandbox, { timeout: ANSWER_LIMIT_MS });
    return { name, status: 'ok', found: stdout.trim(), fix: null };
  } catch (error) {
    const absent = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return {
      name,
      status: 'missing',
      found: absent ? 'not installed' : 'installed, but may not make namespaces here',
      fix: absent
        ? 'Only needed where there is no Docker engine: `apt-get install bubblewrap`.'
        : 'Allow unprivileged user namespaces (`sysctl kernel.unprivileged_userns_clone=1`), or use Docker.',
    };
  }
}

export async function checkBaseImage(): Promise<PrerequisiteReport> {
  const name = 'Base image';
  try {
    const { Size: size } = await new Docker({ timeout: ANSWER_LIMIT_MS }).getImage(BASE_IMAGE).inspect();
    return { name, status: 'ok', found: `${BASE_IMAGE} (${Math.round(size / 1e6)} MB)`, fix: null };
  } catch {
    return {
      name,
      status: 'warning',
      found: `${BASE_IMAGE} is not in the engine`,
      fix: `The built-in tasks need it: \`docker pull ${BASE_IMAGE}\`, or \`npm run setup\` in a clone.`,
    };
  }
}
