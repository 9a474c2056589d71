import { freePort, isListening, isPortFree } from '../machine/ports.js';
import { isAlive, ownIdentity } from '../machine/process-identity.js';
import { type ProcessLock, readLock, tryAcquire } from '../machine/process-lock.js';
import { findServerBinary } from './server-binary.js';
import type { ServerFolder } from './server-folder.js';
import {
  findServerOn,
  NAMESPACE,
  type ServerProcess,
  spawnServer,
  stopProcess,
  untilReady,
} from './server-process.js';

/** What the server's lock says. */
export interface ServerInfo {
  phase: 'starting' | 'running' | 'stopped';
  port: number;
}

export interface ReadyServer extends ServerProcess {
  serverVersion: string;
  /** Started by this call, or found running. */
  started: boolean;
}

/**
 * The server of the folder, found or started. Call it at the door only.
 * Errors: `temporal_binary_missing`, `temporal_unreachable`.
 */
export async function ensureServer(folder: ServerFolder): Promise<ReadyServer> {
  const living = await findLiving(folder);
  if (living === null) return await start(folder);
  try {
    return { ...living, serverVersion: await untilReady(living, folder.log), started: false };
  } catch (error) {
    // It was dying when we found it.
    if (!isAlive(living.identity)) return await start(folder);
    throw error;
  }
}

/** The folder's server process, ready or not; null when there is none. */
export async function findLiving(folder: ServerFolder): Promise<ServerProcess | null> {
  const lock = readLock<ServerInfo>(folder.serverLock);
  if (lock?.held && lock.info.phase === 'running') return { identity: lock.holder, port: lock.info.port };
  // A CLI that was killed between the spawn and the note of it leaves a server that no lock names.
  const orphan = await findServerOn(folder.path);
  if (orphan === null) return null;
  takeLock(folder, { phase: 'running', port: orphan.port }).update(
    { phase: 'running', port: orphan.port },
    orphan.identity,
  );
  return orphan;
}

/** Notes that the server was stopped on purpose, so that nobody starts it again. */
export function noteStopped(folder: ServerFolder): void {
  const port = readLock<ServerInfo>(folder.serverLock)?.info.port ?? 0;
  takeLock(folder, { phase: 'stopped', port }).release();
}

async function start(folder: ServerFolder): Promise<ReadyServer> {
  const binary = await findServerBinary();
  const databaseFile = folder.database(binary.serverVersion);
  const preferred = readLock<ServerInfo>(folder.serverLock)?.info.port ?? 0;
  let port = preferred > 0 && (await isPortFree(preferred)) ? preferred : await freePort();
  // The port is on record before the spawn.
  const lock = takeLock(folder, { phase: 'starting', port });
  for (let retried = false; ; retried = true) {
    try {
      const server = spawnInto(lock, binary.path, { port, databaseFile }, folder.log);
      return { ...server, serverVersion: await readyOrStopped(server, folder.log), started: true };
    } catch (error) {
      // Somebody took the port between our look and the server's bind.
      if (retried || !(await isListening(port))) {
        lock.release();
        throw error;
      }
      port = await freePort();
      lock.update({ phase: 'starting', port }, ownIdentity());
    }
  }
}

function spawnInto(
  lock: ProcessLock<ServerInfo>,
  binary: string,
  { port, databaseFile }: { port: number; databaseFile: string },
  logFile: string,
): ServerProcess {
  const identity = spawnServer(binary, { port, databaseFile, namespaces: [NAMESPACE] }, logFile);
  lock.update({ phase: 'running', port }, identity);
  return { identity, port };
}

async function readyOrStopped(server: ServerProcess, logFile: string): Promise<string> {
  try {
    return await untilReady(server, logFile);
  } catch (error) {
    if (isAlive(server.identity)) await stopProcess(server.identity);
    throw error;
  }
}

function takeLock(folder: ServerFolder, info: ServerInfo): ProcessLock<ServerInfo> {
  const lock = tryAcquire<ServerInfo>(folder.serverLock, info);
  if ('heldBy' in lock) throw new Error(`the server lock of ${folder.path} is held by a living server`);
  return lock;
}
