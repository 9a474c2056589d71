import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { HOUR_MS } from '../core/time.js';

const PREFIX = 'workflows-';
/** Of the project: what a bundle may hold, and whose versions of packages. */
const SOURCES = ['workflows', 'src', 'package.json', 'package-lock.json'];

/**
 * The workflow bundle of a project that runs from its sources, as a file: made when a source has changed, and shared by
 * all processes until then. Making one costs seconds, and tests start hundreds of processes.
 */
export async function sourceBundle(root: string): Promise<string> {
  const folder = cacheFolder();
  const path = join(folder, `${PREFIX}${stampOf(root)}.js`);
  if (existsSync(path)) return path;
  const { code } = await bundle(join(root, 'workflows', 'index.ts'));
  await mkdir(folder, { recursive: true });
  const temporary = join(folder, `${randomUUID()}.tmp`);
  await writeFile(temporary, code, { flush: true });
  await rename(temporary, path);
  await removeOld(folder);
  return path;
}

/** Not in the project: its folder holds nothing that a build leaves, but for `dist`. */
function cacheFolder({ XDG_CACHE_HOME, HOME }: NodeJS.ProcessEnv = process.env): string {
  return join(XDG_CACHE_HOME || join(HOME || homedir(), '.cache'), 'longrun', 'bundles');
}

async function bundle(workflowsPath: string): Promise<{ code: string }> {
  const { bundleWorkflowCode } = await import('@temporalio/worker');
  return bundleWorkflowCode({
    workflowsPath,
    logger: { trace() {}, debug() {}, info() {}, log() {}, warn: console.error, error: console.error },
  });
}

/** A digest of names and contents. */
function stampOf(root: string): string {
  const hash = createHash('sha256');
  for (const source of SOURCES)
    for (const file of filesUnder(join(root, source)))
      hash
        .update(`${relative(root, file)}\0`)
        .update(readFileSync(file))
        .update('\0');
  return hash.digest('hex').slice(0, 16);
}

function filesUnder(path: string): string[] {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Of earlier states of the sources; a process that has just started may still read a recent one. */
async function removeOld(folder: string): Promise<void> {
  for (const name of readdirSync(folder).filter((file) => file.startsWith(PREFIX))) {
    const path = join(folder, name);
    const age = await stat(path).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > HOUR_MS) await rm(path, { force: true });
  }
}
