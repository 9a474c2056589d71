import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { installedPython, noPython, PACKAGES, peersFolder, STAMP, wantedPythons } from './peers-folder.mjs';
import { announce, line, seconds } from './report.mjs';
import { lastLines, run, which } from './run.mjs';

const PIP_LIMIT_MS = 15 * 60_000;

/**
 * A Python environment with the programs that read what we write: only tests start them. It lies in the cache
 * folder, one for each set of packages. What cannot be made is said, and the tests that need it fail with the same.
 */
export async function providePeers({ check }) {
  const found = installedPython();
  if (found !== null) return line('peers', found);
  if (check) return line('peers', 'their Python environment is missing: `npm test` makes it');
  const python = await findPython();
  if (python === null) return line('peers', noPython());
  const target = peersFolder();
  try {
    mkdirSync(dirname(target), { recursive: true });
  } catch (error) {
    return line('peers', `no cache folder can be made: ${error.message}`);
  }
  announce('peers', `installing the packages of test/peers into ${target}, 600 MB, about two minutes`);
  const started = Date.now();
  const fresh = `${target}.${process.pid}.tmp`;
  try {
    const problem = await install(python, fresh);
    if (problem !== null) return line('peers', problem);
    writeFileSync(join(fresh, STAMP), '');
    put(fresh, target);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  line('peers', `installed in ${seconds(started)}`);
}

/** Null, or why it could not. */
async function install(python, folder) {
  const made = await run(python, ['-m', 'venv', folder]);
  if (!made.ok) return `${python} -m venv failed (Debian: install python3-venv):\n${lastLines(made.output)}`;
  const pip = join(folder, 'bin', 'python');
  const { requirements, constraints, noDeps } = PACKAGES;
  const quiet = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  for (const args of [
    ['-r', requirements, '-c', constraints],
    ['--no-deps', '-r', noDeps],
  ]) {
    const { ok, output } = await run(pip, [...quiet, ...args], { timeoutMs: PIP_LIMIT_MS });
    if (!ok) return `pip could not install the packages of test/peers:\n${lastLines(output)}`;
  }
  return null;
}

/** Into its place. Its programs carry the folder in which they were made: start modules (`python -m …`), not them. */
function put(fresh, target) {
  if (existsSync(join(target, STAMP))) return; // Another set-up was quicker.
  rmSync(target, { recursive: true, force: true });
  renameSync(fresh, target);
}

/** The first Python that the packages take: on PATH, or one of pyenv's. */
async function findPython() {
  const wanted = wantedPythons();
  const pyenv = join(process.env.PYENV_ROOT || join(homedir(), '.pyenv'), 'versions');
  const named = wanted.map((version) => which(`python${version}`));
  const installed = wanted.flatMap((version) => pyenvVersions(pyenv, version));
  for (const python of [...named, which('python3'), ...installed]) {
    if (python === null) continue;
    const { ok, output } = await run(python, ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])']);
    if (ok && wanted.includes(output)) return python;
  }
  return null;
}

function pyenvVersions(folder, version) {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => name.startsWith(`${version}.`))
    .map((name) => join(folder, name, 'bin', 'python3'));
}
