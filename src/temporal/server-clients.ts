import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, ownIdentity, type ProcessIdentity } from '../machine/process-identity.js';

/** Puts this process on the list of those that use the server; answers how to take it off again. */
export function registerClient(folder: string): () => void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { pid, startedAt } = ownIdentity();
  const file = join(folder, `${randomUUID()}.json`);
  const temporary = `${file}.tmp`;
  writeFileSync(temporary, JSON.stringify({ schema_version: 1, pid, started_at: startedAt }), {
    mode: 0o600,
    flush: true,
  });
  renameSync(temporary, file);
  return () => rmSync(file, { force: true });
}

/** Counts the clients that live, and forgets those that were killed. */
export function countClients(folder: string): number {
  let living = 0;
  for (const name of listClientFiles(folder)) {
    const file = join(folder, name);
    const client = readClient(file);
    if (client !== null && isAlive(client)) living += 1;
    else rmSync(file, { force: true });
  }
  return living;
}

function listClientFiles(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function readClient(file: string): ProcessIdentity | null {
  try {
    const client: { pid?: unknown; started_at?: unknown } | null = JSON.parse(readFileSync(file, 'utf8'));
    const { pid, started_at: startedAt } = client ?? {};
    return typeof pid === 'number' && typeof startedAt === 'string' ? { pid, startedAt } : null;
  } catch (error) {
    // What a power cut has emptied, whoever wrote it ended with.
    if (error instanceof SyntaxError) return null;
    // It left meanwhile.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
