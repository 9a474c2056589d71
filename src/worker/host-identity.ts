import { readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

const FILE = 'host-id';

/** The stable id of this state folder as a host; queues and sandbox labels carry it. */
export async function hostIdentity(stateDir: string, newId: () => string): Promise<string> {
  const path = join(stateDir, FILE);
  const name =
    hostname()
      .replace(/[^A-Za-z0-9-]/g, '-')
      .slice(0, 40) || 'host';
  try {
    await writeFile(path, `${name}-${newId().slice(0, 8)}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return (await readFile(path, 'utf8')).trim();
}
