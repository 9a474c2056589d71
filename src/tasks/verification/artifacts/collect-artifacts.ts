import { posix } from 'node:path';
import { LongrunError } from '../../../core/errors.js';
import type { Artifact } from '../../../core/rollout/task.schema.js';
import type { Sandbox } from '../../../sandbox/sandbox.js';
import { type TarEntry, tarMembers, writeTar } from '../../../sandbox/tar-entries.js';
import { ARTIFACT_LIMIT_BYTES } from './limits.js';
import type { ArtifactArchive } from './read-archive.js';
import type { LostLink, Program, Sifted } from './sift-artifacts.js';
import { siftInThread } from './sift-in-thread.js';

/** A virtual environment has one interpreter; each program that is asked for costs an engine about 40 ms. */
const MOST_PROGRAMS = 16;
const MOST_HOPS = 8;
/** A tar that holds a link and nothing else. */
const LINK_LIMIT_BYTES = 64 * 1024;

/**
 * The artifacts of an agent's sandbox as one tar with paths from the root, and what was left out of them. A missing
 * artifact is for the tests to notice.
 */
export async function collectArtifacts(
  sandbox: Sandbox,
  artifacts: readonly Artifact[],
): Promise<Omit<Sifted, 'wanted'>> {
  const archives: ArtifactArchive[] = [];
  const refused: string[] = [];
  let left = ARTIFACT_LIMIT_BYTES;
  for (const { source, exclude } of artifacts) {
    try {
      const tar = await sandbox.getArchive(source, left);
      if (tar === null) continue;
      left -= tar.length;
      archives.push({ source, exclude, tar });
    } catch (error) {
      if (!LongrunError.is(error, 'archive_refused')) throw error;
      refused.push(`left out ${source}: the artifacts hold more than ${ARTIFACT_LIMIT_BYTES} bytes`);
    }
  }
  if (archives.length === 0) return { tar: await writeTar([]), leftOut: refused, links: [] };
  const programs = new Map<string, Program>();
  for (;;) {
    const { tar, leftOut, links, wanted } = await siftInThread({ archives, programs });
    if (wanted.length === 0) return { tar, leftOut: [...refused, ...leftOut], links };
    for (const path of wanted) {
      const program = programs.size < MOST_PROGRAMS ? await readProgram(sandbox, path, left) : null;
      left -= program?.content.length ?? 0;
      programs.set(path, program);
    }
  }
}

/** Those of `links` that a sandbox in which no agent has been has as well: of the image, and not of the agent's making. */
export async function linksOfImage(sandbox: Sandbox, links: readonly LostLink[]): Promise<LostLink[]> {
  const found: LostLink[] = [];
  for (const link of links) {
    const entry = await rootEntry(sandbox, `/${link.path}`, LINK_LIMIT_BYTES);
    if (entry?.type === 'symlink' && entry.target === link.target) found.push(link);
  }
  return found;
}

/** As it is in the agent's sandbox, through as many links as a distribution has (`python` → `python3` → `python3.11`). */
async function readProgram(sandbox: Sandbox, path: string, limitBytes: number): Promise<Program> {
  let at = path;
  for (let hop = 0; hop < MOST_HOPS; hop += 1) {
    const entry = await rootEntry(sandbox, at, limitBytes);
    if (entry?.type === 'file') return { content: entry.content, mode: entry.mode };
    if (entry?.type !== 'symlink') return null;
    at = posix.resolve(posix.dirname(at), entry.target);
  }
  return null;
}

async function rootEntry(
  sandbox: Sandbox,
  path: string,
  limitBytes: number,
): Promise<(Pick<TarEntry, 'content' | 'mode' | 'target'> & { type: string | null }) | null> {
  try {
    const tar = await sandbox.getArchive(path, limitBytes);
    if (tar === null) return null;
    for await (const { header, content } of tarMembers(tar)) {
      const { type, mode, linkname } = header;
      return { type: type ?? null, mode: (mode ?? 0) & 0o777, content, target: linkname ?? '' };
    }
    return null;
  } catch (error) {
    if (LongrunError.is(error) && !LongrunError.is(error, 'archive_refused')) throw error;
    return null;
  }
}
