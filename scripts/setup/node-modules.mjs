import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { announce, line, Stop, seconds } from './report.mjs';
import { ROOT } from './root.mjs';
import { run } from './run.mjs';

const OLDEST_NODE = [20, 11];

export function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [wantedMajor, wantedMinor] = OLDEST_NODE;
  if (major < wantedMajor || (major === wantedMajor && minor < wantedMinor)) {
    throw new Stop(`Node is ${process.versions.node}: install Node ${OLDEST_NODE.join('.')} or newer.`);
  }
  line('node', process.versions.node);
}

/** Installs what package-lock.json names, unless it is there. */
export async function provideNodeModules({ check }) {
  const lacking = firstLacking();
  if (lacking === null) return line('node modules', 'in place');
  if (check) throw new Stop(`Node modules are missing (${lacking}): run \`npm ci\`.`);
  announce('node modules', 'npm ci');
  const started = Date.now();
  const { ok, output } = await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: ROOT });
  if (!ok) throw new Stop(`npm ci failed:\n${errorLines(output)}`);
  line('node modules', `installed in ${seconds(started)}`);
}

/** What npm says is wrong, without the usage that it appends. */
function errorLines(output) {
  const errors = output.split('\n').filter((text) => /^npm error \S/.test(text));
  return (errors.length > 0 ? errors : output.split('\n')).slice(0, 8).join('\n');
}

/** The first package whose installed version is not the lockfile's; null when all are. */
function firstLacking() {
  const installedFile = join(ROOT, 'node_modules', '.package-lock.json');
  if (!existsSync(installedFile)) return 'none installed';
  const installed = JSON.parse(readFileSync(installedFile, 'utf8')).packages;
  const wanted = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages;
  for (const [path, { version, optional, link }] of Object.entries(wanted)) {
    // Optional packages are those of other platforms.
    if (path === '' || optional || link) continue;
    if (installed[path]?.version !== version) return path.replace(/^.*node_modules\//, '');
  }
  return null;
}
