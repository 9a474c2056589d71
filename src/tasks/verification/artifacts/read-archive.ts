import { posix } from 'node:path';
import picomatch from 'picomatch';
import type { Header } from 'tar-stream';
import type { Artifact } from '../../../core/rollout/task.schema.js';
import { type TarEntry, tarMembers } from '../../../sandbox/tar-entries.js';
import { parentOf } from './artifact-tree.js';
import type { LeftOut } from './left-out.js';
import { MOST_MEMBERS, PATH_MAX_BYTES, PATH_MAX_DEPTH } from './limits.js';

/** What an agent's sandbox gave for one artifact: a tar whose root entry is the last component of its source. */
export interface ArtifactArchive {
  source: Artifact['source'];
  exclude: readonly string[];
  tar: Uint8Array;
}

/** Stands in decoded text for bytes that are no UTF-8. */
const REPLACEMENT_CHARACTER = '\uFFFD';
const LATEST = new Date((2 ** 31 - 1) * 1000);
const NOTHING = new Uint8Array();

/**
 * The members of an archive that are files, folders and links, with paths from the root of the sandbox. Nothing of an
 * archive that is broken or has more than `limit` members.
 */
export async function readArchive(
  archive: ArtifactArchive,
  limit: number,
  leftOut: LeftOut,
): Promise<TarEntry[]> {
  const root = archive.source.slice(1);
  const reader = new ArchiveReader(archive, leftOut);
  let count = 0;
  try {
    for await (const { header, content } of tarMembers(archive.tar)) {
      count += 1;
      if (count > limit) {
        leftOut.add(root, `the artifacts have more than ${MOST_MEMBERS} members`);
        return [];
      }
      reader.take(header, content);
    }
  } catch {
    // Made by something that the agent has put into its sandbox.
    leftOut.add(root, 'its archive is not a readable tar');
    return [];
  }
  return reader.members;
}

class ArchiveReader {
  readonly members: TarEntry[] = [];
  private readonly files = new Map<string, TarEntry>();
  private readonly excluded = new Set<string>();
  private readonly isExcluded: (path: string) => boolean;
  private readonly parent: string;
  private readonly root: string;

  constructor(
    { source, exclude }: ArtifactArchive,
    private readonly leftOut: LeftOut,
  ) {
    this.root = source.slice(1);
    this.parent = parentOf(this.root);
    this.isExcluded = exclude.length === 0 ? () => false : picomatch([...exclude], { dot: true });
  }

  take(header: Header, content: Uint8Array): void {
    const path = this.placeOf(header.name);
    if (path === null) return;
    const member = this.memberOf(path, header, content);
    if (member === null) return;
    if (member.type === 'file') this.files.set(path, member);
    if (this.leavesOut(path)) this.excluded.add(path);
    else this.members.push(member);
  }

  /** Null for names that no member of this archive has. */
  private placeOf(name: string): string | null {
    const parts = name.split('/').filter((part) => part !== '' && part !== '.');
    const path = this.parent === '' ? parts.join('/') : `${this.parent}/${parts.join('/')}`;
    const why =
      name.startsWith('/') || parts.includes('..')
        ? 'its path leaves the artifact'
        : tooMuch(name, parts.length);
    if (why !== null) {
      this.leftOut.add(path, why);
      return null;
    }
    if (path === this.root || path.startsWith(`${this.root}/`)) return path;
    this.leftOut.add(path, `it is not part of /${this.root}`);
    return null;
  }

  /** What matches a pattern is excluded with all that is below it. */
  private leavesOut(path: string): boolean {
    if (this.excluded.has(parentOf(path))) return true;
    return this.isExcluded(path.slice(this.root.length + 1)) || this.isExcluded(posix.basename(path));
  }

  private memberOf(path: string, header: Header, content: Uint8Array): TarEntry | null {
    const { type, linkname } = header;
    // Without set-user-id bits: nothing in a verifier has a use for them.
    const mode = (header.mode ?? 0o644) & 0o1777;
    const plain = { path, mode, mtime: timeOf(header.mtime), content: NOTHING, target: '' };
    const target = linkname ?? '';
    switch (type) {
      case 'file':
      case 'contiguous-file':
        return { ...plain, type: 'file', content };
      case 'directory':
        return { ...plain, type };
      case 'symlink': {
        const why = target === '' ? 'it links to nothing' : tooMuch(target, 0);
        if (why !== null) this.leftOut.add(path, why);
        return why === null ? { ...plain, type, target } : null;
      }
      case 'link':
        return this.linked(plain, target);
      case 'fifo':
        return null;
      default:
        this.leftOut.add(path, `it is a ${type ?? 'member of unknown type'}`);
        return null;
    }
  }

  /** A second name of a file before it; of one that is excluded it is the only name. */
  private linked(plain: Omit<TarEntry, 'type'>, linkname: string): TarEntry | null {
    const target = this.placeOf(linkname);
    if (target === null) return null;
    const file = this.files.get(target);
    if (file === undefined || target === plain.path) {
      this.leftOut.add(plain.path, 'it is a hard link to no file of the artifact');
      return null;
    }
    if (this.excluded.has(target)) return { ...plain, type: 'file', content: file.content };
    return { ...plain, type: 'link', target };
  }
}

function tooMuch(path: string, depth: number): string | null {
  if (path.includes(REPLACEMENT_CHARACTER)) return 'its name is no UTF-8';
  if (path.includes('\0')) return 'its name holds a zero byte';
  if (Buffer.byteLength(path) > PATH_MAX_BYTES) return `its path is longer than ${PATH_MAX_BYTES} bytes`;
  return depth > PATH_MAX_DEPTH ? `it lies deeper than ${PATH_MAX_DEPTH} folders` : null;
}

function timeOf(mtime: Date | undefined): Date {
  const ms = mtime?.getTime() ?? 0;
  return ms >= 0 && ms <= LATEST.getTime() ? new Date(ms) : new Date(0);
}
