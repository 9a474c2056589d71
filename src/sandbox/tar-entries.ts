import { posix } from 'node:path';
import { extract, type Header, pack } from 'tar-stream';
import { LongrunError } from '../core/errors.js';

/** A member of a tar. Paths are relative, without `.` or `..`; the root itself is the empty path. */
export interface TarEntry {
  path: string;
  type: 'file' | 'directory' | 'symlink' | 'link';
  mode: number;
  mtime: Date;
  content: Uint8Array;
  /** Of a symlink: what it says. Of a link: the path of the other member. */
  target: string;
}

/** Reads a whole tar. Error: `archive_refused` for paths that leave the root and for devices. */
export async function readTar(tar: Uint8Array): Promise<TarEntry[]> {
  const reader = extract();
  reader.end(Buffer.from(tar.buffer, tar.byteOffset, tar.byteLength));
  const entries: TarEntry[] = [];
  try {
    for await (const member of reader) {
      const chunks: Buffer[] = [];
      for await (const chunk of member) chunks.push(chunk as Buffer);
      entries.push(toEntry(member.header, Buffer.concat(chunks)));
    }
  } catch (cause) {
    if (LongrunError.is(cause)) throw cause;
    throw new LongrunError('archive_refused', 'The archive is not a readable tar.', { cause });
  }
  refuseOwnLinks(entries);
  return entries;
}

/** Writes a tar; directories before what they hold, as given. */
export async function writeTar(entries: readonly TarEntry[]): Promise<Uint8Array> {
  const writer = pack();
  for (const entry of entries) {
    const header = { name: entry.path, mode: entry.mode, mtime: entry.mtime, uid: 0, gid: 0 };
    if (entry.type === 'file') writer.entry({ ...header, type: 'file' }, Buffer.from(entry.content));
    else if (entry.type === 'directory')
      writer.entry({ ...header, name: `${entry.path}/`, type: 'directory' });
    else writer.entry({ ...header, type: entry.type, linkname: entry.target });
  }
  writer.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of writer) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

/** A member below one of the archive's own links would be written wherever the link points. */
function refuseOwnLinks(entries: readonly TarEntry[]): void {
  const links = entries.filter((entry) => entry.type === 'symlink').map((entry) => `${entry.path}/`);
  for (const entry of entries) {
    const through = links.find((link) => entry.path.startsWith(link) || `${entry.target}/`.startsWith(link));
    if (through === undefined || entry.type === 'symlink') continue;
    if (!entry.path.startsWith(through) && entry.type !== 'link') continue;
    throw new LongrunError('archive_refused', `The archive writes ${entry.path} through its own link.`);
  }
}

function toEntry(header: Header, content: Uint8Array): TarEntry {
  const type = entryType(header);
  return {
    path: safePath(header.name),
    type,
    mode: (header.mode ?? (type === 'directory' ? 0o755 : 0o644)) & 0o7777,
    mtime: header.mtime ?? new Date(0),
    content,
    target: type === 'link' ? safePath(header.linkname ?? '') : (header.linkname ?? ''),
  };
}

function entryType(header: Header): TarEntry['type'] {
  switch (header.type) {
    case 'file':
    case 'contiguous-file':
      return 'file';
    case 'directory':
    case 'symlink':
    case 'link':
      return header.type;
    default:
      throw new LongrunError('archive_refused', `The archive holds a ${header.type} (${header.name}).`);
  }
}

function safePath(name: string): string {
  if (name.startsWith('/') || name.includes('\0') || name.split('/').includes('..')) {
    throw new LongrunError('archive_refused', `The archive holds a path that leaves its folder: ${name}`);
  }
  const path = posix.normalize(name).replace(/\/+$/, '');
  return path === '.' ? '' : path;
}
