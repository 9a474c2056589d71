import { posix } from 'node:path';
import { shell } from '../../core/text/shell.js';
import type { ChangedPath } from '../sandbox.js';
import type { TarEntry } from '../tar-entries.js';
import { LOCAL_FOLDER } from './root-folder.js';

/** Prints type, mode, size, time of last change of the inode and path of all that can be written. */
export function listingScript(mountPoints: readonly string[]): string {
  const readOnly = mountPoints.filter((path) => path !== LOCAL_FOLDER && path !== '/usr');
  const pruned = readOnly.map((path) => `-path ${path} -o `).join('');
  // /usr is read-only but for /usr/local, a mount below it.
  return shell`find / \\( ${pruned} \\( -path '/usr/*' ! -path /usr/local ! -path '/usr/local/*' \\) \\) -prune -o -printf '%y %m %s %C@ %p\\0'`;
}

/** Compares a listing with what the sandbox started from. `sealedAtMs`: when its own files were in place. */
export function compareListing(
  listing: string,
  started: ReadonlyMap<string, TarEntry>,
  mountPoints: readonly string[],
  sealedAtMs: number,
): ChangedPath[] {
  const changes: ChangedPath[] = [];
  const implied = impliedFolders([...started.keys(), ...mountPoints]);
  const seen = new Set<string>();
  for (const line of listing.split('\0')) {
    const match = /^(\S) (\d{1,8}) (\d{1,20}) (\d{1,20}(?:\.\d{1,20})?) (\/[\s\S]*)$/.exec(line);
    if (!match) continue;
    const [, type, mode, size, changedAt, path] = match as unknown as [
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    seen.add(path);
    const before = started.get(path);
    if (before === undefined) {
      if (!implied.has(path)) changes.push({ path, kind: 'added' });
      continue;
    }
    const sameKind =
      type === TYPES[before.type] && (type === 'l' || Number.parseInt(mode, 8) === before.mode);
    const sameContent = type !== 'f' || Number(size) === before.content.length || before.type === 'link';
    // Nothing inside can set the time of an inode's last change.
    const untouched = type === 'd' || Number(changedAt) * 1000 <= sealedAtMs;
    if (!sameKind || !sameContent || !untouched) changes.push({ path, kind: 'modified' });
  }
  for (const path of started.keys()) if (!seen.has(path)) changes.push({ path, kind: 'deleted' });
  return changes;
}

const TYPES: Record<TarEntry['type'], string> = { file: 'f', link: 'f', directory: 'd', symlink: 'l' };

/** Folders that exist because something is in them. */
function impliedFolders(paths: readonly string[]): Set<string> {
  const folders = new Set<string>(['/']);
  for (const path of paths) {
    for (let at = path; !folders.has(at); at = posix.dirname(at)) folders.add(at);
  }
  return folders;
}
