import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { announce, line, Stop, seconds } from './report.mjs';
import { ROOT } from './root.mjs';
import { lastLines, run } from './run.mjs';

const DIST = join(ROOT, 'dist');
const STAMP = '.build-stamp';
const BUNDLE = 'workflow-bundle.js';
const SOURCES = ['src', 'workflows', 'activities', 'environments', 'bench'];
const SETTINGS = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json', 'scripts/setup/build.mjs'];

/** Builds dist/ beside the old one and puts it in its place, so that nobody sees half of it. */
export async function build({ force = false, check = false } = {}) {
  const stamp = stampOf([...SOURCES, ...SETTINGS]);
  if (!force && readStamp() === stamp) return line('build', 'up to date');
  if (check) throw new Stop('The build is missing or out of date: run `npm run build`.');
  announce('build', 'compiling, bundling workflows');
  const started = Date.now();
  const fresh = join(ROOT, `dist.${process.pid}.tmp`);
  try {
    await compile(fresh);
    copyEnvironmentFiles(fresh);
    await bundleWorkflows(fresh);
    writeFileSync(join(fresh, STAMP), stamp);
    swap(fresh);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  line('build', `done in ${seconds(started)}`);
}

async function compile(target) {
  const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
  const { ok, output } = await run(tsc, ['-p', 'tsconfig.build.json', '--outDir', target], { cwd: ROOT });
  if (!ok) throw new Stop(`The build failed:\n${lastLines(output, 20)}`);
}

/** Tasks, their tests and all else that an environment folder holds beside code. */
function copyEnvironmentFiles(target) {
  const from = join(ROOT, 'environments');
  cpSync(from, join(target, 'environments'), {
    recursive: true,
    filter: (path) => !path.endsWith('.ts'),
  });
}

async function bundleWorkflows(target) {
  const entry = join(target, 'workflows', 'index.js');
  const { bundleWorkflowCode } = await import('@temporalio/worker');
  const problems = [];
  const silent = () => undefined;
  const error = (message) => problems.push(message);
  const logger = { log: silent, trace: silent, debug: silent, info: silent, warn: silent, error };
  try {
    const { code } = await bundleWorkflowCode({ workflowsPath: entry, logger });
    writeFileSync(join(target, BUNDLE), code);
  } catch (cause) {
    throw new Stop(`The workflows cannot be bundled: ${cause.message}\n${problems.join('\n')}`);
  }
}

function swap(fresh) {
  const old = join(ROOT, `dist.${process.pid}.old`);
  if (existsSync(DIST)) renameSync(DIST, old);
  renameSync(fresh, DIST);
  rmSync(old, { recursive: true, force: true });
}

function readStamp() {
  const file = join(DIST, STAMP);
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

/** A digest of names and contents. */
function stampOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths) {
    for (const file of filesUnder(join(ROOT, path))) {
      hash
        .update(`${relative(ROOT, file)}\0`)
        .update(readFileSync(file))
        .update('\0');
    }
  }
  return hash.digest('hex');
}

function filesUnder(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesUnder(join(path, name)));
}
