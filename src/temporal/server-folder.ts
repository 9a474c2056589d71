import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** Where the embedded server of a state folder keeps its things. */
export interface ServerFolder {
  path: string;
  /** Tied to the server's life. */
  serverLock: string;
  /** Held by a CLI while it starts, joins, leaves or stops the server. */
  doorLock: string;
  clients: string;
  log: string;
  /** A server's schema is made with its file and never migrated, so the name carries the version. */
  database(serverVersion: string): string;
}

export function serverFolder(stateDir: string): ServerFolder {
  const path = join(stateDir, 'temporal');
  return {
    path,
    serverLock: join(path, 'server'),
    doorLock: join(path, 'door'),
    clients: join(path, 'clients'),
    log: join(path, 'server.log'),
    database: (serverVersion) => join(path, `temporal-${serverVersion}.db`),
  };
}

/** Makes the folders, readable by their owner only. */
export function makeServerFolder(stateDir: string): ServerFolder {
  mkdirSync(serverFolder(stateDir).clients, { recursive: true, mode: 0o700 });
  // One spelling of the path: orphans are recognised by it.
  return serverFolder(realpathSync(stateDir));
}
