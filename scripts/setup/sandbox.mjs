import { spawn } from 'node:child_process';
import { existsSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installPackages, mayInstall } from './packages.mjs';
import { announce, line, Stop, seconds } from './report.mjs';
import { ROOT } from './root.mjs';
import { run, which } from './run.mjs';

const START_LIMIT_MS = 30_000;
const SBIN = ['/usr/sbin', '/sbin'];

/** Answers 'docker' when an engine answers at the end, else 'bubblewrap'; stops where there can be neither. */
export async function provideSandbox(options) {
  const { checkEngine, checkBubblewrap } = await import(join(ROOT, 'dist/src/setup/sandbox-checks.js'));
  const engine = await checkEngine();
  if (engine.status === 'ok') return found('docker', `engine ${engine.found}`);
  const problem = await startEngine(options, async () => (await checkEngine()).status === 'ok');
  if (problem === null) return found('docker', `engine ${(await checkEngine()).found}`);
  line('docker', problem);

  const bubblewrap = await installedBubblewrap(checkBubblewrap, options);
  if (bubblewrap.status === 'ok') {
    return found('bubblewrap', `${bubblewrap.found} (for development; tasks that need Docker say so)`);
  }
  throw new Stop(`No sandbox: ${engine.fix} Or bubblewrap, which is ${bubblewrap.found}: ${bubblewrap.fix}`);
}

/** Beside an engine, too: the tests look at every driver. */
export async function provideBubblewrap(options) {
  const { checkBubblewrap } = await import(join(ROOT, 'dist/src/setup/sandbox-checks.js'));
  const bubblewrap = await installedBubblewrap(checkBubblewrap, options);
  if (bubblewrap.status !== 'ok') throw new Stop(`No bubblewrap: ${bubblewrap.fix}`);
  found('bubblewrap', bubblewrap.found);
}

async function installedBubblewrap(checkBubblewrap, options) {
  const bubblewrap = await checkBubblewrap();
  if (bubblewrap.status === 'ok' || which('bwrap') !== null || !mayInstall(options)) return bubblewrap;
  await installPackages(['bubblewrap']);
  return await checkBubblewrap();
}

function found(driver, text) {
  line(driver, text);
  return driver;
}

/** Installs and starts the engine where that is ours to do; answers null, or why there is none. */
async function startEngine(options, answers) {
  if (process.env.DOCKER_HOST) return `nothing answers at DOCKER_HOST (${process.env.DOCKER_HOST})`;
  if (options.check) return 'no engine answers';
  if (which('dockerd', SBIN) === null) {
    if (!mayInstall(options)) return 'no engine is installed';
    const problem = await installPackages(['docker.io', 'iptables', 'iproute2']);
    if (problem !== null) return problem;
    // The package may have started it.
    if (await answers()) return null;
  }
  if (process.getuid() !== 0) return 'the engine is installed but not running, and starting it takes root';
  return await startDaemon(answers);
}

async function startDaemon(answers) {
  const started = Date.now();
  if (existsSync('/run/systemd/system')) {
    announce('docker', 'systemctl start docker');
    await run('systemctl', ['start', 'docker']);
    return (await until(answers)) ? null : 'systemctl start docker did not bring the engine up';
  }
  clearStalePid();
  // Not in /tmp, where another user may have put a link under this name.
  const log = '/var/log/longrun-dockerd.log';
  announce('docker', `starting dockerd (log: ${log})`);
  const output = openSync(log, 'w', 0o600);
  const daemon = spawn(which('dockerd', SBIN), [], { detached: true, stdio: ['ignore', output, output] });
  let ended = false;
  daemon.once('error', () => {
    ended = true;
  });
  daemon.once('exit', () => {
    ended = true;
  });
  daemon.unref();
  if (!(await until(answers, () => ended))) {
    if (!ended) daemon.kill();
    return `dockerd does not run here, see ${log}`;
  }
  line('docker', `started in ${seconds(started)}; it keeps running`);
  return null;
}

/** A killed engine leaves its pid behind; once another process has that number, dockerd refuses to start. */
function clearStalePid() {
  for (const [file, program] of [
    ['/var/run/docker.pid', 'dockerd'],
    ['/var/run/docker/containerd/containerd.pid', 'containerd'],
  ]) {
    const pid = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
    if (pid === '' || nameOf(pid) === program) continue;
    announce('docker', `removing ${file}, left by an engine that was killed`);
    rmSync(file);
  }
}

/** Null for a process that is gone, also for one that only nobody has waited for yet. */
function nameOf(pid) {
  const file = `/proc/${pid}/stat`;
  const [, name, state] =
    /^\d+ \((.*)\) (\S)/s.exec(existsSync(file) ? readFileSync(file, 'utf8') : '') ?? [];
  return name === undefined || state === 'Z' ? null : name;
}

async function until(answers, givenUp = () => false) {
  const deadline = Date.now() + START_LIMIT_MS;
  while (Date.now() < deadline && !givenUp()) {
    if (await answers()) return true;
    await sleep(200);
  }
  return false;
}
