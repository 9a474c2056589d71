import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { accessSync, chownSync, constants, readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../../src/machine/ports.js';
import { until } from './until.js';

const DEBIAN_FOLDER = '/usr/lib/postgresql';
const START_TRIES = 40;

/** Why there can be no PostgreSQL here, in one sentence; null when there can. */
export function missingPostgres(): string | null {
  return binFolder() === null
    ? 'There is no PostgreSQL (initdb, postgres); `npm test` installs it as root on Debian and Ubuntu, or set LONGRUN_SKIP_TIERS=topology'
    : null;
}

/** A PostgreSQL server of the test's own, which can be killed and started again on its data. */
export class Postgres {
  private server: ChildProcess | null = null;

  private constructor(
    private readonly bin: string,
    private readonly folder: string,
    readonly port: number,
  ) {}

  static async start(user: string): Promise<Postgres> {
    const bin = binFolder();
    if (bin === null) throw new Error(missingPostgres() ?? '');
    const folder = await mkdtemp(join(tmpdir(), 'longrun-postgres-'));
    const { uid, gid } = account();
    if (uid !== undefined) chownSync(folder, uid, gid as number);
    const initdb = ['-D', join(folder, 'data'), '-U', user, '--auth=trust', '--encoding=UTF8', '--no-sync'];
    await promisify(execFile)(join(bin, 'initdb'), initdb, { ...account(), cwd: folder });
    const postgres = new Postgres(bin, folder, await freePort());
    await postgres.up();
    return postgres;
  }

  /** A killed server's children hold its shared memory for a second or two: until then it refuses to start. */
  async up(): Promise<void> {
    for (let tries = 1; ; tries++) {
      const said = await this.tryUp();
      if (said === null) return;
      if (tries >= START_TRIES) throw new Error(`PostgreSQL does not start: ${said}`);
      await sleep(250);
    }
  }

  /** Null when it takes connections, else what it said before it ended. */
  private async tryUp(): Promise<string | null> {
    const args = ['-D', join(this.folder, 'data'), '-p', String(this.port), '-k', this.folder];
    const child = spawn(join(this.bin, 'postgres'), [...args, '-c', 'listen_addresses=127.0.0.1'], {
      ...account(),
      cwd: this.folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk) => {
      said = `${said}${chunk}`.slice(-2_000);
    });
    let ready = false;
    await until(
      async () => {
        ready = child.exitCode === null && (await this.accepts());
        return ready || child.exitCode !== null;
      },
      { what: 'PostgreSQL takes connections or ends' },
    );
    if (!ready) return said;
    this.server = child;
    return null;
  }

  private async accepts(): Promise<boolean> {
    const args = ['-h', '127.0.0.1', '-p', String(this.port), '-t', '1', '-q'];
    return await promisify(execFile)(join(this.bin, 'pg_isready'), args).then(
      () => true,
      () => false,
    );
  }

  /** SIGKILL of the postmaster, as when the machine runs out of memory. */
  async kill(): Promise<void> {
    const { server } = this;
    this.server = null;
    if (server === null || server.exitCode !== null) return;
    const gone = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGKILL');
    await gone;
  }

  async stop(): Promise<void> {
    const { server } = this;
    this.server = null;
    if (server !== null && server.exitCode === null) {
      const gone = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGINT');
      await gone;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** PostgreSQL refuses to run as root: root becomes the package's user. */
function account(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => /^postgres:/.test(entry));
  const [, , uid, gid] = (line ?? 'nobody:x:65534:65534').split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

/** The folder of the newest PostgreSQL: Debian keeps most of its programs off PATH. */
function binFolder(): string | null {
  const debian = versionsIn(DEBIAN_FOLDER).map((version) => join(DEBIAN_FOLDER, version, 'bin'));
  const folders = [...debian, ...(process.env.PATH ?? '').split(delimiter)];
  return (
    folders.find((folder) =>
      ['initdb', 'postgres', 'pg_isready'].every((name) => runs(join(folder, name))),
    ) ?? null
  );
}

function versionsIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort((a, b) => Number(b) - Number(a));
  } catch {
    return [];
  }
}

function runs(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
