import { posix } from 'node:path';
import type Dockerode from 'dockerode';
import { LongrunError } from '../../core/errors.js';
import type { ChangedPath } from '../sandbox.js';
import { SPOOL_DIRECTORY, USER_SPOOLS_DIRECTORY } from '../spool.js';
import { readTar, type TarEntry, writeTar } from '../tar-entries.js';
import { asking, engineStatus, toLongrunError } from './engine-error.js';

/**
 * Unpacks a checked tar as root. It is written anew, so nothing but what was checked arrives. The engine wants
 * a directory that exists: where it does not, the archive goes to the nearest one above with the missing
 * directories in front, which saves a command inside.
 */
export async function putArchive(
  container: Dockerode.Container,
  directory: string,
  tar: Uint8Array,
): Promise<void> {
  const entries = (await readTar(tar)).filter((entry) => entry.path !== '');
  const target = posix.resolve('/', directory);
  if (await upload(container, target, entries)) return;
  const base = await nearestDirectory(container, posix.dirname(target));
  const missing = posix.relative(base, target);
  const moved = entries.map((entry) => ({
    ...entry,
    path: posix.join(missing, entry.path),
    target: entry.type === 'link' ? posix.join(missing, entry.target) : entry.target,
  }));
  if (await upload(container, base, [...directories(missing), ...moved])) return;
  await container.inspect().catch((error) => Promise.reject(toLongrunError(error, 'unpacking an archive')));
  throw new LongrunError('sandbox_failed', `There is no directory ${base} to unpack an archive to.`);
}

/** False when the engine finds no such directory. */
async function upload(
  container: Dockerode.Container,
  directory: string,
  entries: TarEntry[],
): Promise<boolean> {
  const tar = await writeTar(entries);
  try {
    await container.putArchive(Buffer.from(tar), { path: directory });
    return true;
  } catch (error) {
    if (engineStatus(error) === 404) return false;
    throw toLongrunError(error, `unpacking an archive to ${directory}`);
  }
}

async function nearestDirectory(container: Dockerode.Container, path: string): Promise<string> {
  for (let at = path; at !== '/'; at = posix.dirname(at)) {
    try {
      await container.infoArchive({ path: at });
      return at;
    } catch (error) {
      if (engineStatus(error) !== 404) throw toLongrunError(error, `looking for ${at}`);
    }
  }
  return '/';
}

function directories(path: string): TarEntry[] {
  const parts = path.split('/');
  return parts.map((_, index) => ({
    path: parts.slice(0, index + 1).join('/'),
    type: 'directory',
    mode: 0o755,
    mtime: new Date(),
    content: new Uint8Array(),
    target: '',
  }));
}

/** A tar of `path`, null when there is none. Error: `archive_refused` above `limitBytes`. */
export async function getArchive(
  container: Dockerode.Container,
  path: string,
  limitBytes: number,
): Promise<Uint8Array | null> {
  let stream: NodeJS.ReadableStream;
  try {
    stream = await container.getArchive({ path });
  } catch (error) {
    if (engineStatus(error) !== 404) throw toLongrunError(error, `packing ${path}`);
    // The engine answers alike for a missing path and a missing container.
    await asking(`packing ${path}`, () => container.inspect());
    return null;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop early destroys the stream, and with it the connection.
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limitBytes) {
      throw new LongrunError(
        'archive_refused',
        `${path} holds more than the ${limitBytes} bytes that are taken.`,
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const KINDS: ChangedPath['kind'][] = ['modified', 'added', 'deleted'];

const OURS = [SPOOL_DIRECTORY, USER_SPOOLS_DIRECTORY];

/** Paths that differ from the image, our own spools left out. */
export async function changedPaths(container: Dockerode.Container): Promise<ChangedPath[]> {
  const changes = (await asking('listing changed paths', () => container.changes())) as
    | { Path: string; Kind: number }[]
    | null;
  return (changes ?? [])
    .filter((change) => !OURS.includes(change.Path))
    .map((change) => ({ path: change.Path, kind: KINDS[change.Kind] ?? 'modified' }));
}
