import { posix } from 'node:path';
import picomatch from 'picomatch';
import { LongrunError } from '../../core/errors.js';
import type { TarEntry } from '../tar-entries.js';
import type { DockerfileStep } from './parse-dockerfile.js';

type CopyStep = Extract<DockerfileStep, { kind: 'copy' }>;

/**
 * What a COPY puts into the image: members of the build context under absolute paths, as Docker places
 * them (a folder's contents, not the folder; a file into a destination that ends with a slash).
 */
export function copyContext(step: CopyStep, context: readonly TarEntry[], workdir: string): TarEntry[] {
  const destination = posix.resolve(workdir, step.destination);
  const selected = step.sources.flatMap((source) => match(source, context, step.line));
  const intoFolder = step.destination.endsWith('/') || selected.length > 1 || /^\.?$/.test(step.destination);
  const copies: TarEntry[] = [];
  for (const source of selected) {
    if (source.path !== '' && source.type !== 'directory') {
      const path = intoFolder ? posix.join(destination, posix.basename(source.path)) : destination;
      copies.push({ ...source, path });
      continue;
    }
    const prefix = source.path === '' ? '' : `${source.path}/`;
    for (const entry of context) {
      if (entry.path === '' || !entry.path.startsWith(prefix)) continue;
      copies.push({ ...entry, path: posix.join(destination, entry.path.slice(prefix.length)) });
    }
    copies.unshift({ ...source, path: destination, type: 'directory', mode: 0o755 });
  }
  if (step.mode === null) return copies;
  return copies.map((entry) => (entry.type === 'file' ? { ...entry, mode: step.mode as number } : entry));
}

function match(source: string, context: readonly TarEntry[], line: number): TarEntry[] {
  const wanted = posix.relative('/', posix.resolve('/', source));
  if (wanted === '') return [ROOT];
  const exact = context.filter((entry) => entry.path === wanted);
  if (exact.length > 0) return exact;
  const implied = context.some((entry) => entry.path.startsWith(`${wanted}/`));
  if (implied) return [{ ...ROOT, path: wanted }];
  const matches = /[*?[]/.test(wanted)
    ? context.filter((entry) => picomatch.isMatch(entry.path, wanted))
    : [];
  if (matches.length > 0) return matches;
  throw new LongrunError(
    'image_build_failed',
    `Dockerfile line ${line}: COPY found no "${source}" in the build context.`,
    {
      details: { line },
    },
  );
}

const ROOT: TarEntry = {
  path: '',
  type: 'directory',
  mode: 0o755,
  mtime: new Date(0),
  content: new Uint8Array(),
  target: '',
};
