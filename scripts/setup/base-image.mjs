import {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { installPackages, mayInstall } from './packages.mjs';
import { announce, line, Stop, seconds } from './report.mjs';
import { lastLines, run, which } from './run.mjs';

export const BASE_IMAGE = 'debian:bookworm-slim';
const SUITE = 'bookworm';
/** Without a first answer of a registry by then there is none to reach. */
const FIRST_ANSWER_MS = 10_000;
const PULL_LIMIT_MS = 5 * 60_000;
const SBIN = ['/usr/sbin', '/sbin'];
/** Left out of the image, as Debian's slim images do. */
const SLIMMED = [
  'usr/share/doc',
  'usr/share/man',
  'usr/share/locale',
  'usr/share/info',
  'var/cache/apt',
  'var/lib/apt/lists',
];

/** Makes sure that the engine has the image: there already, pulled, or built from the distribution's packages. */
export async function provideBaseImage(options, image = BASE_IMAGE) {
  const { default: Docker } = await import('dockerode');
  const docker = new Docker();
  if (await has(docker, image)) return line('base image', `${image} in place`);
  if (options.check) throw new Stop(`The engine has no ${image}: run \`npm run setup\`.`);
  const started = Date.now();
  announce('base image', `pulling ${image}`);
  const refusal = await pull(docker, image);
  if (refusal === null) return line('base image', `${image} pulled in ${seconds(started)}`);
  line('base image', `cannot be pulled (${refusal})`);
  const tar = await bootstrapTar(options);
  await load(docker, tar, image);
  line('base image', `${image} built from the distribution's packages in ${seconds(started)}`);
}

async function has(docker, image) {
  return await docker
    .getImage(image)
    .inspect()
    .then(
      () => true,
      () => false,
    );
}

/** Null when it worked, else why not. */
async function pull(docker, image) {
  const abort = new AbortController();
  const limit = setTimeout(() => abort.abort(), PULL_LIMIT_MS);
  const firstAnswer = setTimeout(() => abort.abort(), FIRST_ANSWER_MS);
  try {
    const stream = await docker.pull(image, { abortSignal: abort.signal });
    await new Promise((resolve, reject) => {
      abort.signal.addEventListener('abort', () => reject(new Error('no answer in time')), { once: true });
      docker.modem.followProgress(
        stream,
        (error) => (error ? reject(error) : resolve()),
        () => clearTimeout(firstAnswer),
      );
    });
    return null;
  } catch (error) {
    return abort.signal.aborted ? 'no registry answers' : error.message.split('\n')[0];
  } finally {
    clearTimeout(limit);
    clearTimeout(firstAnswer);
  }
}

/** A minimal Debian as a tar, kept in our cache for the next time. */
async function bootstrapTar(options) {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'longrun');
  const tar = join(cache, `debian-${SUITE}-minbase.tar`);
  if (existsSync(tar)) return tar;
  if (process.getuid() !== 0) {
    throw new Stop(
      `Building ${BASE_IMAGE} takes root: run \`docker pull ${BASE_IMAGE}\` where a registry is reachable.`,
    );
  }
  await provideDebootstrap(options);
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'debootstrap-'));
  try {
    announce('base image', `debootstrap --variant=minbase ${SUITE}, about a minute`);
    const made = await run(which('debootstrap', SBIN), ['--variant=minbase', SUITE, folder, ...mirror()]);
    if (!made.ok) throw new Stop(`debootstrap failed:\n${lastLines(made.output)}`);
    for (const path of SLIMMED) emptyFolder(join(folder, path));
    const packed = await run('tar', [
      '--numeric-owner',
      '--one-file-system',
      '-C',
      folder,
      '-cf',
      `${tar}.part`,
      '.',
    ]);
    if (!packed.ok) throw new Stop(`The base image could not be packed:\n${lastLines(packed.output)}`);
    renameSync(`${tar}.part`, tar);
    return tar;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function provideDebootstrap(options) {
  if (which('debootstrap', SBIN) !== null) return;
  const problem = mayInstall(options)
    ? await installPackages(['debootstrap'])
    : 'debootstrap is not installed';
  if (problem !== null) {
    throw new Stop(
      `${BASE_IMAGE} cannot be built: ${problem}. Pull it where a registry is reachable, or install debootstrap.`,
    );
  }
}

/** The mirror that this machine's apt uses, if it is Debian's. */
function mirror() {
  const folder = '/etc/apt/sources.list.d';
  const files = [
    '/etc/apt/sources.list',
    ...(existsSync(folder) ? readdirSync(folder).map((f) => join(folder, f)) : []),
  ];
  const text = files
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  const uri = text.match(/^(?:URIs:\s*|deb\s+(?:\[[^\]]*\]\s+)?)(https?:\/\/\S+\/debian\/?)(?=\s|$)/m)?.[1];
  return uri === undefined ? [] : [uri];
}

function emptyFolder(path) {
  if (!existsSync(path)) return;
  for (const name of readdirSync(path)) rmSync(join(path, name), { recursive: true, force: true });
}

async function load(docker, tar, image) {
  const [repo, tag] = image.split(':');
  const stream = await docker.importImage(createReadStream(tar), { repo, tag, changes: 'CMD ["bash"]' });
  await new Promise((resolve, reject) => {
    docker.modem.followProgress(stream, (error) => (error ? reject(error) : resolve()));
  });
}
