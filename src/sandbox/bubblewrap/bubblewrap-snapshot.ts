import { createHash } from 'node:crypto';
import { LongrunError } from '../../core/errors.js';
import type { SandboxSnapshot } from '../sandbox.js';
import { readTar, type TarEntry, writeTar } from '../tar-entries.js';
import { absolute, type BubblewrapImage } from './bubblewrap-image.js';
import { readRootFolder } from './root-folder.js';

const PREFIX = 'bubblewrap-snapshot:';
/** First member of a snapshot: what an image has besides its files. */
const MANIFEST = '.longrun-image.json';

interface Manifest {
  root: string;
  env: Record<string, string>;
  workdir: string;
}

/** A sandbox's own files as one tar; the programs that it shares with its root folder stay there. */
export async function packSnapshot({
  root,
  entries,
  env,
  workdir,
}: BubblewrapImage): Promise<SandboxSnapshot> {
  const manifest: Manifest = { root: root.path, env, workdir };
  const content = Buffer.from(JSON.stringify(manifest));
  const first: TarEntry = {
    path: MANIFEST,
    type: 'file',
    mode: 0o600,
    mtime: new Date(0),
    content,
    target: '',
  };
  const files = await writeTar([first, ...entries.map(relative)]);
  const digest = createHash('sha256').update(files).digest('hex').slice(0, 24);
  return { image: `${PREFIX}${digest}`, files };
}

export async function unpackSnapshot(files: Uint8Array): Promise<BubblewrapImage> {
  const [first, ...entries] = await readTar(files);
  if (first?.path !== MANIFEST)
    throw new LongrunError('image_missing', 'The snapshot is not one of a bubblewrap sandbox.');
  const { root, env, workdir } = JSON.parse(Buffer.from(first.content).toString('utf8')) as Manifest;
  return { root: await readRootFolder(root), env, workdir, entries: entries.map(absolute) };
}

function relative(entry: TarEntry): TarEntry {
  const target = entry.type === 'link' ? entry.target.slice(1) : entry.target;
  return { ...entry, path: entry.path.slice(1), target };
}
