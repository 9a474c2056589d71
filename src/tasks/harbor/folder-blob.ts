import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { pack } from 'tar-stream';
import { LongrunError } from '../../core/errors.js';
import type { BlobRef } from '../../core/rollout/task.schema.js';
import type { FolderEntry } from './task-folder.js';

/** One time for every member: a tar depends on what is in a folder, not on when it was checked out. */
const MTIME = new Date('2000-01-01T00:00:00Z');

export type BlobLoaders = Map<string, () => Promise<Uint8Array>>;

/** Names a folder's tar by its digest and remembers how to make it; the bytes are not kept. */
export async function addFolderBlob(entries: readonly FolderEntry[], loaders: BlobLoaders): Promise<BlobRef> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of tarChunks(entries)) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  const sha256 = hash.digest('hex');
  loaders.set(sha256, () => tarOf(entries, sha256));
  return { sha256, bytes };
}

/** Error: `task_invalid` when the folder has changed since its digest was taken. */
async function tarOf(entries: readonly FolderEntry[], sha256: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of tarChunks(entries)) chunks.push(chunk);
  const tar = Buffer.concat(chunks);
  if (createHash('sha256').update(tar).digest('hex') !== sha256) {
    throw new LongrunError('task_invalid', `${entries[0]?.at} and its folder changed while being read.`, {
      hint: 'Start again, and leave the task alone until the run has begun.',
    });
  }
  return tar;
}

async function* tarChunks(entries: readonly FolderEntry[]): AsyncGenerator<Uint8Array> {
  const writer = pack();
  const filling = fill(writer, entries).catch((error: Error) => writer.destroy(error));
  for await (const chunk of writer) yield chunk as Uint8Array;
  await filling;
}

async function fill(writer: ReturnType<typeof pack>, entries: readonly FolderEntry[]): Promise<void> {
  for (const { path, kind, mode, target, at } of entries) {
    const header = { mode, mtime: MTIME, uid: 0, gid: 0, uname: '', gname: '' };
    if (kind === 'file') writer.entry({ ...header, name: path }, await readFile(at));
    else if (kind === 'directory') writer.entry({ ...header, name: `${path}/`, type: 'directory' });
    else writer.entry({ ...header, name: path, type: 'symlink', linkname: target });
  }
  writer.finalize();
}
