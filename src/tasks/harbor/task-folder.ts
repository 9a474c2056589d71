import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, readlink } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { append } from '../../core/lists/append.js';
import type { TaskProblem } from './problem.js';

/** A member of a folder; `path` is relative to it, with forward slashes. */
export interface FolderEntry {
  path: string;
  kind: 'file' | 'directory' | 'symlink';
  /** Permission bits. */
  mode: number;
  /** Of a symlink: what it says. */
  target: string;
  /** Where it is on this machine. */
  at: string;
}

/** Everything below a folder, sorted by path; what cannot be carried into a sandbox is a problem. */
export async function readFolder(
  folder: string,
  problems: TaskProblem[],
  prefix = '',
): Promise<FolderEntry[]> {
  const names = (await readdir(join(folder, prefix))).sort();
  const entries: FolderEntry[] = [];
  for (const name of names) {
    const path = posix.join(prefix, name);
    const at = join(folder, path);
    const stat = await lstat(at);
    const entry = { path, at, mode: stat.mode & 0o777, target: '' };
    if (stat.isDirectory()) {
      entries.push({ ...entry, kind: 'directory' });
      append(entries, await readFolder(folder, problems, path));
    } else if (stat.isFile()) {
      entries.push({ ...entry, kind: 'file' });
    } else if (stat.isSymbolicLink()) {
      entries.push({ ...entry, kind: 'symlink', mode: 0o777, target: await readlink(at) });
    } else {
      const message = 'sockets, pipes and devices cannot be carried into a sandbox';
      problems.push({
        file: at,
        line: null,
        found: null,
        accepted: 'files, folders and symbolic links',
        message,
      });
    }
  }
  return entries;
}

/** The entries of one subfolder, relative to it, with links out of it reported. */
export function subfolder(
  entries: readonly FolderEntry[],
  name: string,
  problems: TaskProblem[],
): FolderEntry[] {
  const inside = entries
    .filter((entry) => entry.path.startsWith(`${name}/`))
    .map((entry) => ({ ...entry, path: entry.path.slice(name.length + 1) }));
  for (const entry of inside) {
    if (entry.kind !== 'symlink' || !escapes(entry)) continue;
    problems.push({
      file: entry.at,
      line: null,
      found: `a symbolic link to ${entry.target}`,
      accepted: `links that stay inside ${name}/`,
      message: 'the link leaves the folder',
    });
  }
  return inside;
}

/** Later entries win: the tests of a step over those that all steps share. */
export function overlay(below: readonly FolderEntry[], above: readonly FolderEntry[]): FolderEntry[] {
  const merged = new Map(below.map((entry) => [entry.path, entry]));
  for (const entry of above) {
    if (entry.kind !== 'directory') {
      for (const path of merged.keys()) if (path.startsWith(`${entry.path}/`)) merged.delete(path);
    }
    merged.set(entry.path, entry);
  }
  return [...merged.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Changes when anything in the folder does: paths, kinds, execute bits, contents. */
export async function digestOf(entries: readonly FolderEntry[]): Promise<string> {
  const hash = createHash('sha256');
  for (const entry of entries) {
    const content =
      entry.kind === 'file'
        ? createHash('sha256')
            .update(await readFile(entry.at))
            .digest('hex')
        : entry.target;
    const executable = entry.kind === 'file' && (entry.mode & 0o111) !== 0;
    hash.update(`${JSON.stringify([entry.path, entry.kind, executable, content])}\n`);
  }
  return hash.digest('hex');
}

function escapes(link: FolderEntry): boolean {
  if (link.target.startsWith('/')) return true;
  const resolved = posix.normalize(posix.join(posix.dirname(link.path), link.target));
  return resolved === '..' || resolved.startsWith('../');
}
