import { posix } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { extract, type Header, type Pack, pack } from 'tar-stream';
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

/** How long a large archive may keep the process from its other work before it lets that have a turn. */
const SLICE_MS = 10;

/** Reads a whole tar. Error: `archive_refused` for paths that leave the root, for devices, and for members below a link. */
export async function readTar(tar: Uint8Array): Promise<TarEntry[]> {
  const entries: TarEntry[] = [];
  try {
    for await (const { header, content } of tarMembers(tar)) entries.push(toEntry(header, content));
  } catch (cause) {
    if (LongrunError.is(cause)) throw cause;
    throw new LongrunError('archive_refused', 'The archive is not a readable tar.', { cause });
  }
  refuseOwnLinks(entries);
  return entries;
}

/** The members of a tar one by one, as they say what they are: nothing is checked. Throws where it is no tar. */
export async function* tarMembers(tar: Uint8Array): AsyncGenerator<{ header: Header; content: Uint8Array }> {
  const reader = extract();
  reader.end(asBuffer(tar));
  const giveWay = takingTurns();
  for await (const member of reader) {
    const chunks: Buffer[] = [];
    for await (const chunk of member) chunks.push(chunk as Buffer);
    await giveWay();
    yield {
      header: member.header,
      content: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks),
    };
  }
}

/** Writes a tar; directories before what they hold, as given. */
export async function writeTar(entries: readonly TarEntry[]): Promise<Uint8Array> {
  const writer = pack();
  const chunks: Uint8Array[] = [];
  writer.on('data', (chunk) => chunks.push(chunk as Uint8Array));
  const ended = new Promise<void>((resolve, reject) =>
    writer.once('end', () => resolve()).once('error', reject),
  );
  const giveWay = takingTurns();
  for (const entry of entries) {
    await putMember(writer, entry);
    await giveWay();
  }
  writer.finalize();
  await ended;
  return Buffer.concat(chunks);
}

/** One after the other: the writer takes time in proportion to the square of those that wait. */
function putMember(writer: Pack, { path, type, mode, mtime, content, target }: TarEntry): Promise<void> {
  return new Promise((resolve, reject) => {
    const header = { mode, mtime, uid: 0, gid: 0, type };
    const done = (error?: Error | null) => (error ? reject(error) : resolve());
    if (type === 'file') writer.entry({ ...header, name: path }, asBuffer(content), done);
    else if (type === 'directory') writer.entry({ ...header, name: `${path}/` }, done);
    else writer.entry({ ...header, name: path, linkname: target }, done);
  });
}

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** What goes through many members calls it after each, so that heartbeats and other rollouts are not held up. */
function takingTurns(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SLICE_MS) return;
    await nextTurn();
    since = performance.now();
  };
}

/** A member below one of the archive's own links would be written wherever the link points. */
function refuseOwnLinks(entries: readonly TarEntry[]): void {
  const links = new Set(entries.filter(({ type }) => type === 'symlink').map(({ path }) => path));
  if (links.size === 0) return;
  const known = new Map<string, boolean>();
  const leadsThrough = (path: string): boolean => {
    if (path === '.' || path === '/') return false;
    const before = known.get(path);
    if (before !== undefined) return before;
    const through = links.has(path) || leadsThrough(posix.dirname(path));
    known.set(path, through);
    return through;
  };
  for (const { path, type, target } of entries) {
    if (leadsThrough(posix.dirname(path)) || (type === 'link' && leadsThrough(target)))
      throw new LongrunError('archive_refused', `The archive writes ${path} through its own link.`);
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
  const path = posix.normalize(name);
  if (path === '.' || path === './') return '';
  return path.endsWith('/') ? path.slice(0, -1) : path;
}
