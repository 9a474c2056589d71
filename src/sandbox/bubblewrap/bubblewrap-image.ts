import { execFile } from 'node:child_process';
import { access, readdir } from 'node:fs/promises';
import { isAbsolute, join, posix } from 'node:path';
import { promisify } from 'node:util';
import { LongrunError } from '../../core/errors.js';
import { copyContext } from '../dockerfile/copy-context.js';
import { type DockerfileStep, parseDockerfile } from '../dockerfile/parse-dockerfile.js';
import type { ExecRequest, ExecResult, Sandbox } from '../sandbox.js';
import { readTar, type TarEntry } from '../tar-entries.js';
import { hostEntries, type RootFolder, readRootFolder } from './root-folder.js';

/** What a sandbox starts from: read-only programs and the files that are written into each new one. */
export interface BubblewrapImage {
  root: RootFolder;
  entries: readonly TarEntry[];
  env: Record<string, string>;
  workdir: string;
}

/** The sandbox that a Dockerfile's steps run in. */
export interface BuildSandbox extends Pick<Sandbox, 'destroy'> {
  putEntries(entries: readonly TarEntry[], folder: string): Promise<void>;
  runNow(request: ExecRequest, signal: AbortSignal): Promise<ExecResult>;
  /** All that was written since it was made, from the root. */
  written(limitBytes: number): Promise<TarEntry[]>;
}

/** The image name that stands for the host's own programs. */
export const HOST_IMAGE = 'host';

const MAX_IMAGE_BYTES = 512 * 1024 * 1024;
const NOT_COPIED = new Set([
  'usr',
  'bin',
  'sbin',
  'lib',
  'lib32',
  'lib64',
  'libx32',
  'proc',
  'sys',
  'dev',
  'run',
]);
const BASE_ENV = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/root',
};

/** The image of a name: `host`, or the absolute path of a folder with a root file system. */
export async function namedImage(name: string): Promise<BubblewrapImage> {
  if (name === HOST_IMAGE) {
    return { root: await readRootFolder('/'), entries: await hostEntries(), env: BASE_ENV, workdir: '/' };
  }
  const usable = isAbsolute(name) && (await has(name, 'bin/sh')) && (await has(name, 'usr/bin/perl'));
  if (!usable) {
    throw new LongrunError('image_missing', `"${name}" is not an image that bubblewrap can use.`, {
      hint: `Give "${HOST_IMAGE}" or the absolute path of an unpacked Debian-like root (with /bin/sh and /usr/bin/perl), or use --sandbox docker.`,
    });
  }
  const folders = (await readdir(name)).filter((folder) => !NOT_COPIED.has(folder));
  if (await has(name, 'usr/local')) folders.push('usr/local');
  const entries = folders.length === 0 ? [] : await packFolders(name, folders);
  return { root: await readRootFolder(name), entries, env: BASE_ENV, workdir: '/' };
}

/** Runs a Dockerfile's subset in a sandbox of the host's programs and takes what it leaves. */
export async function buildImage(
  base: BubblewrapImage,
  contextTar: Uint8Array,
  start: () => Promise<BuildSandbox>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<BubblewrapImage> {
  const context = await readTar(contextTar);
  const dockerfile = context.find((entry) => entry.path === 'Dockerfile');
  if (dockerfile === undefined)
    throw new LongrunError('image_build_failed', 'The build context has no Dockerfile.');
  const steps = parseDockerfile(Buffer.from(dockerfile.content).toString('utf8'), base.env);
  const sandbox = await start();
  try {
    let image = base;
    for (const step of steps) {
      if (step.kind === 'env') image = { ...image, env: { ...image.env, ...step.values } };
      else if (step.kind === 'copy') await sandbox.putEntries(copyContext(step, context, image.workdir), '/');
      else if (step.kind === 'run') await runStep(sandbox, step, image, timeoutMs, signal);
      else {
        image = { ...image, workdir: posix.resolve(image.workdir, step.path) };
        await sandbox.putEntries([], image.workdir);
      }
    }
    return { ...image, entries: await sandbox.written(MAX_IMAGE_BYTES) };
  } finally {
    await sandbox.destroy();
  }
}

async function runStep(
  sandbox: BuildSandbox,
  step: Extract<DockerfileStep, { kind: 'run' }>,
  image: BubblewrapImage,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { env, workdir: cwd } = image;
  const request: ExecRequest = {
    script: step.script,
    cwd,
    env,
    user: null,
    timeoutMs,
    outputLimitBytes: 16_384,
    stdin: null,
  };
  const result = await sandbox.runNow(request, signal);
  if (result.exitCode === 0) return;
  if (result.killed) throw new LongrunError('cancelled', 'The image build was cancelled.');
  const { head, tail } = result.output;
  const what = result.timedOut
    ? `ran longer than ${timeoutMs} ms`
    : `ended with exit code ${result.exitCode}`;
  throw new LongrunError(
    'image_build_failed',
    `Dockerfile line ${step.line}: RUN ${what} in the bubblewrap sandbox.`,
    {
      hint: 'Bubblewrap builds on the programs of this machine, without network; use --sandbox docker for more.',
      details: { log: Buffer.concat([head, tail]).toString('utf8'), line: step.line },
    },
  );
}

async function packFolders(root: string, folders: string[]): Promise<TarEntry[]> {
  const options = { encoding: 'buffer' as const, maxBuffer: MAX_IMAGE_BYTES };
  try {
    const { stdout } = await promisify(execFile)('tar', ['-C', root, '-cf', '-', '--', ...folders], options);
    return (await readTar(stdout)).map((entry) => absolute(entry));
  } catch (cause) {
    throw new LongrunError('image_missing', `The image folder ${root} cannot be read.`, {
      hint: `Its folders other than /usr must be readable and hold at most ${MAX_IMAGE_BYTES} bytes.`,
      cause,
    });
  }
}

/** The same member with paths from the root of the sandbox. */
export function absolute(entry: TarEntry): TarEntry {
  const target = entry.type === 'link' ? `/${entry.target}` : entry.target;
  return { ...entry, path: `/${entry.path}`, target };
}

function has(root: string, path: string): Promise<boolean> {
  return access(join(root, path)).then(
    () => true,
    () => false,
  );
}
