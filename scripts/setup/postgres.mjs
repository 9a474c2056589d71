import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages, mayInstall } from './packages.mjs';
import { line } from './report.mjs';
import { run, which } from './run.mjs';

const DEBIAN_FOLDER = '/usr/lib/postgresql';

/** The programs of PostgreSQL, for tests that start a server of their own; none is left running by their installation. */
export async function providePostgres(options) {
  const found = postgres();
  if (found !== null) return line('PostgreSQL', found);
  if (!mayInstall(options)) return line('PostgreSQL', 'missing: install postgresql');
  const problem = await installPackages(['postgresql']);
  if (problem !== null) return line('PostgreSQL', problem);
  if (existsSync('/run/systemd/system')) await run('systemctl', ['disable', '--now', 'postgresql']);
  line('PostgreSQL', postgres() ?? 'missing although it was installed');
}

function postgres() {
  const versions = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER) : [];
  return which(
    'initdb',
    versions.map((version) => join(DEBIAN_FOLDER, version, 'bin')),
  );
}
