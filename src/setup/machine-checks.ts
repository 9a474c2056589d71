import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isAtLeast } from '../temporal/server-version.js';
import type { PrerequisiteReport } from './prerequisite-report.js';

const OLDEST_NODE = '20.11.0';
const COMFORTABLE_BYTES = 5 * 1024 ** 3;
const GIGABYTE = 1024 ** 3;

export function checkNode(version: string = process.versions.node): PrerequisiteReport {
  const ok = isAtLeast(version, OLDEST_NODE);
  return {
    name: 'Node',
    status: ok ? 'ok' : 'missing',
    found: version,
    fix: ok ? null : `Install Node ${OLDEST_NODE} or newer.`,
  };
}

export async function checkStateFolder(stateDir: string): Promise<PrerequisiteReport> {
  const existing = await nearestExisting(stateDir);
  const writable = await access(existing, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  const isFolder = (await stat(existing)).isDirectory();
  if (writable && isFolder) {
    const found = existing === stateDir ? stateDir : `${stateDir} (will be made)`;
    return { name: 'State folder', status: 'ok', found, fix: null };
  }
  return {
    name: 'State folder',
    status: 'missing',
    found: isFolder ? `${existing} is not writable` : `${existing} is not a folder`,
    fix: 'Name another with --state-dir or LONGRUN_HOME.',
  };
}

export async function checkDisk(stateDir: string): Promise<PrerequisiteReport> {
  const { bavail, bsize } = await statfs(await nearestExisting(stateDir));
  const free = bavail * bsize;
  const ok = free >= COMFORTABLE_BYTES;
  return {
    name: 'Disk space',
    status: ok ? 'ok' : 'warning',
    found: `${(free / GIGABYTE).toFixed(1)} GB free for the state folder`,
    fix: ok ? null : 'Free some space: placement of sandboxes pauses before the disk is full.',
  };
}

async function nearestExisting(path: string): Promise<string> {
  for (let folder = path; ; folder = dirname(folder)) {
    const found = await stat(folder).then(
      () => true,
      () => false,
    );
    if (found || folder === dirname(folder)) return folder;
  }
}
