import { posix } from 'node:path';
import { LongrunError } from '../../core/errors.js';
import { copyContext } from '../dockerfile/copy-context.js';
import { type DockerfileStep, parseDockerfile } from '../dockerfile/parse-dockerfile.js';
import { readTar, type TarEntry } from '../tar-entries.js';
import { type JustBash, loadJustBash } from './just-bash.js';
import { runScript } from './memory-exec.js';
import { createSandboxFs, readEntries, type SandboxFs, writeEntries } from './sandbox-fs.js';
import { shellCommands } from './shell-commands.js';

/** What a sandbox starts from. The entries' contents are shared by all sandboxes made of it. */
export interface MemoryImage {
  entries: ReadonlyMap<string, TarEntry>;
  env: Record<string, string>;
  workdir: string;
}

/** Files of one sandbox, in bytes. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;

const BASE_ENV = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/root',
  HOSTNAME: 'sandbox',
};
const FOLDERS =
  '/root /home /tmp /var/tmp /var/log /etc /opt /srv /usr/local/bin /usr/sbin /sbin /lib /mnt /run';
const FILES: Record<string, string> = {
  '/etc/passwd': 'root:x:0:0:root:/root:/bin/bash\n',
  '/etc/group': 'root:x:0:\n',
  '/etc/hostname': 'sandbox\n',
  '/etc/issue': 'in-memory sandbox\n',
  '/etc/hosts': '127.0.0.1 localhost\n',
};

/** What every image name stands for: the usual folders and one stub per command. */
export async function baseImage(): Promise<MemoryImage> {
  const justBash = await loadJustBash();
  const fs = createSandboxFs(justBash, MAX_FILE_BYTES);
  new justBash.Bash({
    fs,
    customCommands: shellCommands(justBash, () => ({ stdout: '', stderr: '', exitCode: 0 })),
  });
  await fs.rm('/home/user', { recursive: true, force: true });
  for (const folder of FOLDERS.split(' ')) await fs.mkdir(folder, { recursive: true });
  for (const [path, content] of Object.entries(FILES)) await fs.writeFile(path, content);
  for (const path of fs.getAllPaths()) if (/^\/(usr\/)?bin\/./.test(path)) await fs.chmod(path, 0o755);
  await fs.chmod('/tmp', 0o1777);
  await fs.chmod('/root', 0o700);
  return { entries: byPath(await readEntries(fs, '/')), env: BASE_ENV, workdir: '/' };
}

/** A fresh file system with an image's files. */
export async function unpackImage(justBash: JustBash, image: MemoryImage): Promise<SandboxFs> {
  const fs = createSandboxFs(justBash, MAX_FILE_BYTES);
  await writeEntries(fs, image.entries.values());
  return fs;
}

/** Runs a Dockerfile's subset on top of `base`. Error: `image_build_failed`, `details.log` holds the last output. */
export async function buildImage(
  base: MemoryImage,
  contextTar: Uint8Array,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<MemoryImage> {
  const context = await readTar(contextTar);
  const dockerfile = context.find((entry) => entry.path === 'Dockerfile');
  if (dockerfile === undefined)
    throw new LongrunError('image_build_failed', 'The build context has no Dockerfile.');
  const justBash = await loadJustBash();
  const fs = await unpackImage(justBash, base);
  let image = base;
  for (const step of parseDockerfile(Buffer.from(dockerfile.content).toString('utf8'), base.env)) {
    if (step.kind === 'env') image = { ...image, env: { ...image.env, ...step.values } };
    else if (step.kind === 'copy') await writeEntries(fs, copyContext(step, context, image.workdir));
    else if (step.kind === 'run') await runStep(justBash, fs, step, image, timeoutMs, signal);
    else {
      image = { ...image, workdir: posix.resolve(image.workdir, step.path) };
      await fs.mkdir(image.workdir, { recursive: true });
    }
  }
  return { ...image, entries: byPath(await readEntries(fs, '/')) };
}

async function runStep(
  justBash: JustBash,
  fs: SandboxFs,
  step: Extract<DockerfileStep, { kind: 'run' }>,
  image: MemoryImage,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  const around = { justBash, fs, execId: 'build', env: image.env, cwd: image.workdir };
  const request = {
    script: step.script,
    cwd: null,
    env: {},
    user: null,
    timeoutMs,
    outputLimitBytes: 16_384,
    stdin: null,
  };
  const result = await runScript(around, request, signal);
  if (result.exitCode === 0) return;
  if (result.killed) throw new LongrunError('cancelled', 'The image build was cancelled.');
  const { head, tail } = result.output;
  const what = result.timedOut
    ? `ran longer than ${timeoutMs} ms`
    : `ended with exit code ${result.exitCode}`;
  throw new LongrunError(
    'image_build_failed',
    `Dockerfile line ${step.line}: RUN ${what} in the in-memory sandbox.`,
    {
      hint: 'The in-memory sandbox interprets bash with a set of built-in commands; use --sandbox docker for the rest.',
      details: { log: Buffer.concat([head, tail]).toString('utf8'), line: step.line },
    },
  );
}

function byPath(entries: TarEntry[]): ReadonlyMap<string, TarEntry> {
  return new Map(entries.map((entry) => [entry.path, entry]));
}
