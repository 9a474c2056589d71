import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import dockerignoreModule from '@balena/dockerignore';
import type { FolderEntry } from './task-folder.js';

// Its types say `exports.default`, and the module exports the function itself.
const dockerignore = dockerignoreModule as unknown as typeof dockerignoreModule.default;

/** What of a folder goes into a build: without what its .dockerignore names, which the client leaves out, not the engine. */
export async function buildContext(entries: readonly FolderEntry[]): Promise<FolderEntry[]> {
  const rules = entries.find(({ path, kind }) => path === '.dockerignore' && kind === 'file');
  if (rules === undefined) return [...entries];
  const filter = dockerignore({ ignorecase: false }).add(await readFile(rules.at, 'utf8'));
  const kept = new Set(entries.map(({ path }) => path).filter((path) => !filter.ignores(path)));
  kept.add('Dockerfile');
  // An exception may bring back a file of a folder that is left out.
  for (const path of [...kept]) {
    for (let at = posix.dirname(path); at !== '.'; at = posix.dirname(at)) kept.add(at);
  }
  return entries.filter(({ path }) => kept.has(path));
}

/** The working directory that a Dockerfile ends with; null when it cannot be told from its text. */
export function dockerfileWorkdir(text: string): string | null {
  let workdir: string | null = null;
  for (const line of text.split('\n')) {
    const [, keyword = '', rest = ''] = /^(FROM|WORKDIR)(?:\s+(.*))?$/is.exec(line.trim()) ?? [];
    if (keyword.toUpperCase() === 'FROM') workdir = null;
    if (keyword.toUpperCase() !== 'WORKDIR') continue;
    const path = rest.replace(/^(["'])(.*)\1$/, '$2');
    if (path.includes('$')) workdir = null;
    else if (path.startsWith('/')) workdir = posix.normalize(path);
    else if (workdir !== null) workdir = posix.join(workdir, path);
  }
  return workdir;
}
