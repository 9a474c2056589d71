import { existsSync, readdirSync } from 'node:fs';
import { announce, line, seconds } from './report.mjs';
import { lastLines, run, which } from './run.mjs';

const LISTS = '/var/lib/apt/lists';

/** Whether we may install packages of the distribution: as root, or because `--yes` said so. */
export function mayInstall({ check, yes }) {
  return !check && which('apt-get') !== null && (process.getuid() === 0 || (yes && which('sudo') !== null));
}

/** Installs packages of Debian or Ubuntu, saying so; answers null, or why it could not. */
export async function installPackages(names) {
  const what = names.join(', ');
  announce('packages', `apt-get install ${names.join(' ')}`);
  const started = Date.now();
  if (!hasLists()) await apt(['update']);
  let installed = await install(names);
  if (!installed.ok) {
    // The lists may be older than the archive.
    await apt(['update']);
    installed = await install(names);
  }
  if (!installed.ok) return `apt-get could not install ${what}:\n${lastLines(installed.output)}`;
  line('packages', `${what} installed in ${seconds(started)}`);
  return null;
}

async function install(names) {
  return await apt(['install', '-y', '--no-install-recommends', ...names]);
}

async function apt(args) {
  const command = process.getuid() === 0 ? ['apt-get', ...args] : ['sudo', '-n', 'apt-get', ...args];
  return await run(command[0], command.slice(1), { env: { DEBIAN_FRONTEND: 'noninteractive' } });
}

function hasLists() {
  return existsSync(LISTS) && readdirSync(LISTS).some((name) => name.includes('_Packages'));
}
