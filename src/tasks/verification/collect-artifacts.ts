import { posix } from 'node:path';
import picomatch from 'picomatch';
import { extract, type Header, pack } from 'tar-stream';
import { LongrunError } from '../../core/errors.js';
import type { Artifact } from '../../core/task.schema.js';
import type { Sandbox } from '../../sandbox/sandbox.js';

/** Of all artifacts of a step together. */
export const ARTIFACT_LIMIT_BYTES = 256 * 1024 * 1024;

/** Links may point there without leading to the tests or to what they wrote. */
const HARMLESS = /^\/(usr|bin|sbin|lib|lib32|lib64|opt|etc\/alternatives)(\/|$)/;

type MemberHeader = Pick<Header, 'name' | 'type'> & Partial<Header>;

interface Member {
  header: MemberHeader;
  content: Buffer;
}

/**
 * The artifacts of an agent's sandbox as one tar with paths from the root. The agent made them:
 * links that could lead a verifier's reads or our writes elsewhere, and devices, are left out.
 * A missing artifact is for the tests to notice.
 */
export async function collectArtifacts(
  sandbox: Sandbox,
  artifacts: readonly Artifact[],
): Promise<Uint8Array> {
  const members = new Map<string, Member>();
  let left = ARTIFACT_LIMIT_BYTES;
  for (const artifact of artifacts) {
    const tar = await archiveOf(sandbox, artifact.source, left);
    if (tar === null) continue;
    left -= tar.length;
    // One that is no archive was made by something the agent has put into its sandbox: as good as none.
    const found = await readMembers(tar, artifact).catch(() => []);
    for (const member of found) members.set(member.header.name, member);
  }
  const links = new Set([...members.values()].filter(isLink).map(({ header }) => header.name));
  const kept = [...members.values()].filter(({ header }) => !passesThrough(header.name, links));
  return writeMembers(withoutDanglingHardLinks(kept));
}

/** Null when there is none, or too much of it. */
async function archiveOf(sandbox: Sandbox, source: string, limit: number): Promise<Uint8Array | null> {
  try {
    return await sandbox.getArchive(source, limit);
  } catch (error) {
    if (LongrunError.is(error, 'archive_refused')) return null;
    throw error;
  }
}

async function readMembers(tar: Uint8Array, artifact: Artifact): Promise<Member[]> {
  const parent = posix.dirname(artifact.source).slice(1);
  const isExcluded =
    artifact.exclude.length === 0 ? () => false : picomatch([...artifact.exclude], { dot: true });
  const reader = extract();
  reader.end(Buffer.from(tar.buffer, tar.byteOffset, tar.byteLength));
  const members: Member[] = [];
  for await (const entry of reader) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    const name = inside(parent, entry.header.name);
    if (name === null || !isBelow(`/${name}`, artifact.source)) continue;
    const relative = posix.relative(artifact.source, `/${name}`);
    if (isExcluded(relative) || isExcluded(posix.basename(name))) continue;
    const header = safeHeader({ ...entry.header, name }, artifact, parent);
    if (header !== null) members.push({ header, content: Buffer.concat(chunks) });
  }
  return members;
}

/** A member's path from the root, or null when it leaves the artifact's parent folder. */
function inside(parent: string, name: string): string | null {
  if (name.startsWith('/') || name.split('/').includes('..')) return null;
  return posix.join(parent, name).replace(/\/+$/, '');
}

function safeHeader(header: MemberHeader, artifact: Artifact, parent: string): MemberHeader | null {
  const { name, type, linkname, mtime, uid, gid } = header;
  // Without set-user-id bits: nothing in a verifier has a use for them.
  const kept = {
    name,
    mode: (header.mode ?? 0o644) & 0o1777,
    ...(mtime ? { mtime } : {}),
    uid: uid ?? 0,
    gid: gid ?? 0,
  };
  switch (type) {
    case 'file':
    case 'contiguous-file':
      return { ...kept, type: 'file' };
    case 'directory':
      return { ...kept, type };
    case 'link': {
      const target = inside(parent, linkname ?? '');
      return target === null ? null : { ...kept, type, linkname: target };
    }
    case 'symlink':
      return linkIsHarmless(name, linkname ?? '', artifact)
        ? { ...kept, type, linkname: linkname ?? '' }
        : null;
    default:
      return null;
  }
}

/** It stays in the artifact or points at programs; `/answer -> /tests/expected` would pass any test. */
function linkIsHarmless(name: string, target: string, artifact: Artifact): boolean {
  const resolved = posix.resolve(posix.dirname(`/${name}`), target);
  return isBelow(resolved, artifact.source) || HARMLESS.test(resolved);
}

const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

const isLink = ({ header }: Member): boolean => header.type === 'symlink';

/** A member below one of the agent's links would be written wherever that points. */
function passesThrough(name: string, links: ReadonlySet<string>): boolean {
  for (let at = posix.dirname(name); at !== '.' && at !== '/'; at = posix.dirname(at)) {
    if (links.has(at)) return true;
  }
  return false;
}

function withoutDanglingHardLinks(members: readonly Member[]): Member[] {
  const files = new Set(
    members.filter(({ header }) => header.type === 'file').map(({ header }) => header.name),
  );
  return members.filter(({ header }) => header.type !== 'link' || files.has(header.linkname ?? ''));
}

async function writeMembers(members: readonly Member[]): Promise<Uint8Array> {
  const writer = pack();
  for (const { header, content } of members) {
    if (header.type === 'file') writer.entry({ ...header, size: content.length }, content);
    else
      writer.entry({
        ...header,
        name: header.type === 'directory' ? `${header.name}/` : header.name,
        size: 0,
      });
  }
  writer.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of writer) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}
